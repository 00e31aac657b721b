/** Tells what happens in a rehearsal, and remembers what should not have. */
export interface Stage {
  readonly faults: readonly string[]
  heading(text: string): void
  say(text: string): void
  /** Says what was looked at, and remembers it where it does not hold. */
  check(holds: boolean, what: string): void
  /**
   * Does the same for what everything after it depends on.
   *
   * @throws Error where it does not hold
   */
  need(holds: boolean, what: string): void
}

/** Makes a stage without any faults yet. */
export function createStage(): Stage {
  const faults: string[] = []
  const started = performance.now()
  let place = ''
  const say = (text: string) => void process.stdout.write(`${text.trimEnd()}\n`)
  const check = (holds: boolean, what: string) => {
    say(`${holds ? 'ok' : 'WRONG'}: ${what}`)
    if (!holds) faults.push(`${place}: ${what}`)
  }
  return {
    faults,
    heading(text) {
      place = text
      say(`\n== ${text} (${Math.round((performance.now() - started) / 1_000)} s)\n`)
    },
    say,
    check,
    need(holds, what) {
      check(holds, what)
      if (!holds)
        throw new Error(`\n${faults.join('\n')}\nThe rehearsal ends here, as what follows depends on it.`)
    },
  }
}
