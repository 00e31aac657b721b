/**
 * What a page says is printed, as a pattern: `…` stands for what differs from run to run within a line, and alone on a line
 * for any lines, none included.
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
