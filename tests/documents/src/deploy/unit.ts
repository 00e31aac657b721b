/** A line of a systemd unit. */
export interface UnitEntry {
  readonly section: string
  readonly key: string
  readonly value: string
}

/**
 * Parses a systemd unit.
 *
 * @throws Error for a line that is neither a section nor a key with a value
 */
export function parseUnit(text: string): readonly UnitEntry[] {
  const entries: UnitEntry[] = []
  let section: string | undefined
  for (const line of text.split('\n')) {
    if (/^(?:\s*|[#;].*)$/.test(line)) continue
    const name = /^\[([A-Za-z]+)\]$/.exec(line)?.[1]
    const [, key, value] = /^([A-Za-z0-9]+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) section = name
    else if (section !== undefined && key !== undefined) entries.push({ section, key, value: value ?? '' })
    else throw new Error(`no line of a unit: ${line}`)
  }
  return entries
}
