const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }
const wholeNumber = /^-?\d+$/

/** Parses JSON; integers beyond the safe range become bigints. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source
    return typeof value === 'number' &&
      !Number.isSafeInteger(value) &&
      source !== undefined &&
      wholeNumber.test(source)
      ? BigInt(source)
      : value
  })
}

/** Serializes JSON; bigints become numbers with all their digits, as RPC nodes serialize them. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === 'bigint' ? rawJSON(entry.toString()) : entry,
  )
}
