/** The response of a node. */
export interface Outcome {
  readonly status: number
  readonly isOk: boolean
  readonly milliseconds: number
  readonly bytes: number
  /** The body, with line breaks when it is JSON. */
  readonly text: string
}

// Longer responses make the page slow, and are not useful to read.
const maxShownLength = 200_000

/**
 * Sends a request and waits for its response.
 *
 * @throws TypeError when there is none
 */
export async function send(url: string, method: string, body: string | undefined): Promise<Outcome> {
  const started = performance.now()
  const response = await fetch(url, {
    method,
    // The node requires its own credential; the session cookie is not sent.
    credentials: 'omit',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    isOk: response.ok,
    milliseconds: Math.round(performance.now() - started),
    bytes: new TextEncoder().encode(text).length,
    text: truncated(text),
  }
}

function truncated(text: string): string {
  const formatted = indented(text)
  return formatted.length > maxShownLength ? `${formatted.slice(0, maxShownLength)}\n… truncated` : formatted
}

/**
 * Formats JSON with line breaks. Only whitespace is added, so numbers that `JSON.parse` would round stay unchanged.
 *
 * @param text - any text; one that is not JSON is returned unchanged
 */
export function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  let depth = 0
  return text.replace(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (token) => {
    switch (token) {
      case '{':
      case '[':
        depth += 1
        return `${token}${newLine(depth)}`
      case '}':
      case ']':
        depth -= 1
        return `${newLine(depth)}${token}`
      case ',':
        return `,${newLine(depth)}`
      case ':':
        return ': '
      default:
        return /^\s/.test(token) ? '' : token.startsWith('"') ? token : token.replace(/\s/g, '')
    }
  })
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(Math.max(0, depth))}`
}
