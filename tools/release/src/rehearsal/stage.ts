/** Reports the progress of a rehearsal, and records failures. */
export interface Stage {
  readonly faults: readonly string[]
  heading(text: string): void
  print(text: string): void
  /** Reports a check, and records it if it fails. */
  check(passed: boolean, description: string): void
  /**
   * Does the same for a prerequisite of all later steps.
   *
   * @throws Error if it fails
   */
  require(passed: boolean, description: string): void
}

/** Creates a stage without failures. */
export function createStage(): Stage {
  const faults: string[] = []
  const started = performance.now()
  let currentHeading = ''
  const print = (text: string) => void process.stdout.write(`${text.trimEnd()}\n`)
  const check = (passed: boolean, description: string) => {
    print(`${passed ? 'ok' : 'WRONG'}: ${description}`)
    if (!passed) faults.push(`${currentHeading}: ${description}`)
  }
  return {
    faults,
    heading(text) {
      currentHeading = text
      print(`\n== ${text} (${Math.round((performance.now() - started) / 1_000)} s)\n`)
    },
    print,
    check,
    require(passed, description) {
      check(passed, description)
      if (!passed)
        throw new Error(
          `\n${faults.join('\n')}\nThe rehearsal stops, because all later steps depend on this check.`,
        )
    },
  }
}
