import { type Request, tokenPlace } from './request.ts'

/** What a request is let in by. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'session'; readonly csrfToken: string }

/** An answer, as far as it has come. */
export interface Outcome {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly milliseconds: number
  readonly bytes: number
  /** The body, if it is text; the first bytes in hexadecimal if not. */
  readonly text: string
  /** Whether nothing more will come. */
  readonly isComplete: boolean
  /** Whether the answer is longer than what was read of it. */
  readonly isCut: boolean
}

// A page that shows more of an answer becomes slow.
const mostBytes = 500_000
const shownBytes = 256

/**
 * Sends a request to the service that this page came from.
 *
 * @param signal - ends the answer; what has come of it stays
 * @param onProgress - hears of each piece of the answer
 * @throws TypeError when there is no answer
 */
export async function send(
  request: Request,
  credential: Credential,
  signal: AbortSignal,
  onProgress: (outcome: Outcome) => void,
): Promise<void> {
  const started = performance.now()
  const response = await fetch(targetWith(request, credential), {
    method: request.method,
    headers: { ...request.headers, ...headersOf(credential) },
    // A call with another credential is none of the session's business.
    credentials: credential.kind === 'session' ? 'same-origin' : 'omit',
    signal,
    ...(request.body !== undefined && { body: request.body }),
  })
  const milliseconds = Math.round(performance.now() - started)
  const read = readerOf(response.headers.get('content-type') ?? '')
  let bytes = 0
  let text = ''
  const report = (isComplete: boolean) =>
    onProgress({
      status: response.status,
      headers: [...response.headers],
      milliseconds,
      bytes,
      text,
      isComplete,
      isCut: bytes >= mostBytes,
    })
  report(false)
  const reader = response.body?.getReader()
  try {
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
      text += read(piece.value, bytes)
      bytes += piece.value.length
      if (bytes >= mostBytes) break
      report(false)
    }
  } finally {
    report(true)
    await reader?.cancel().catch(() => {})
  }
}

/** The path of a request with the token in it. */
export function targetWith({ target }: Pick<Request, 'target'>, credential: Credential): string {
  const token = credential.kind === 'token' ? credential.token : ''
  return target.replace(tokenPlace, () => encodeURIComponent(token))
}

function headersOf(credential: Credential): Readonly<Record<string, string>> {
  if (credential.kind === 'api-key') return { Authorization: `Bearer ${credential.key}` }
  return credential.kind === 'session' ? { 'X-CSRF-Token': credential.csrfToken } : {}
}

/** Reads the pieces of a body by its media type: as text, or the first bytes in hexadecimal. */
function readerOf(mediaType: string): (piece: Uint8Array, offset: number) => string {
  if (/json|text|csv|yaml/.test(mediaType)) {
    const decoder = new TextDecoder()
    return (piece) => decoder.decode(piece, { stream: true })
  }
  return (piece, offset) =>
    [...piece.subarray(0, Math.max(0, shownBytes - offset))]
      .map((byte) => `${byte.toString(16).padStart(2, '0')} `)
      .join('')
}
