/** How each package fared with a consumer, by the folder of the package: `pass`, or what went wrong. */
export type Results = Readonly<Record<string, string>>

/** A consumer with its results. */
export interface Row {
  readonly consumer: string
  /** What it does with the packages. */
  readonly check: string
  /** Undefined where this machine does not have the consumer. */
  readonly results: Results | undefined
}

/**
 * Everything that went wrong, a line each.
 *
 * @param isComplete - whether this machine has to have every consumer
 */
export function failuresOf(rows: readonly Row[], isComplete: boolean): readonly string[] {
  return rows.flatMap(({ consumer, results }) => {
    if (results === undefined) return isComplete ? [`${consumer} is absent`] : []
    return Object.entries(results)
      .filter(([, result]) => result !== 'pass')
      .map(([folder, result]) => `${consumer}, ${folder}: ${result}`)
  })
}

/** A table of consumers and packages. A dash is for a package that the consumer has no use for. */
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
