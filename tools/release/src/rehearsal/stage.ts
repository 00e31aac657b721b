/** Reports the progress of a rehearsal, and records failures. */
export interface Stage {
  readonly faults: readonly string[]
  heading(text: string): void
  say(text: string): void
  /** Reports a check, and records it if it fails. */
  check(holds: boolean, what: string): void
  /**
   * Does the same for a prerequisite of all later steps.
   *
   * @throws Error if it fails
   */
  need(holds: boolean, what: string): void
}

/** Creates a stage without failures. */
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
