/** Tells what happens in a rehearsal, and remembers what should not have. */
export interface Stage {
  readonly faults: readonly string[]
  heading(text: string): void
  say(text: string): void
  /** Says what was looked at, and remembers it where it does not hold. */
  check(holds: boolean, what: string): void
}

/** Makes a stage without any faults yet. */
export function createStage(): Stage {
  const faults: string[] = []
  const started = performance.now()
  let place = ''
  const say = (text: string) => void process.stdout.write(`${text.trimEnd()}\n`)
  return {
    faults,
    heading(text) {
      place = text
      say(`\n== ${text} (${Math.round((performance.now() - started) / 1_000)} s)\n`)
    },
    say,
    check(holds, what) {
      say(`${holds ? 'ok' : 'WRONG'}: ${what}`)
      if (!holds) faults.push(`${place}: ${what}`)
    },
  }
}
