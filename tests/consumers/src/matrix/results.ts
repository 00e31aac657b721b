/** The result of each package with a consumer, by package folder: `pass`, or the failure. */
export type Results = Readonly<Record<string, string>>

/** A consumer with its results. */
export interface Row {
  readonly consumer: string
  /** How it uses the packages. */
  readonly check: string
  /** Undefined if this machine does not have the consumer. */
  readonly results: Results | undefined
}

/**
 * Returns all failures, one line each.
 *
 * @param isComplete - whether this machine must have every consumer
 */
export function failuresOf(rows: readonly Row[], isComplete: boolean): readonly string[] {
  return rows.flatMap(({ consumer, results }) => {
    if (results === undefined) return isComplete ? [`${consumer} is absent`] : []
    return Object.entries(results)
      .filter(([, result]) => result !== 'pass')
      .map(([folder, result]) => `${consumer}, ${folder}: ${result}`)
  })
}

/** Returns a table of consumers and packages. A dash marks a package that the consumer does not use. */
export function matrixTable(rows: readonly Row[], folders: readonly string[]): string {
  const cell = (results: Results | undefined, folder: string) => {
    if (results === undefined) return 'absent'
    const result = results[folder]
    return result === undefined ? '-' : result === 'pass' ? 'pass' : 'FAIL'
  }
  const lines = rows.map(({ consumer, check, results }) => [
    consumer,
    check,
    ...folders.map((folder) => cell(results, folder)),
  ])
  const all = [['consumer', 'check', ...folders], ...lines]
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  return all
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
