/**
 * Converts the expected output of a page to a pattern. `…` within a line matches text that varies between runs. `…`
 * alone on a line matches any number of lines, including none.
 */
export function printedPattern(text: string): RegExp {
  const lines = text.trimEnd().split('\n')
  const parts = lines.map((line) =>
    line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${line.split('…').map(escaped).join('[^\\n]*')}\\n`,
  )
  return new RegExp(`^${parts.join('')}$`)
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
}
