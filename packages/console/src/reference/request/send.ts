import { type Request, tokenPlaceholder } from './request.ts'

/** The credential of a request. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'session'; readonly csrfToken: string }

/** A response, complete or in progress. */
export interface Outcome {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly milliseconds: number
  readonly bytes: number
  /** The body, if it is text; otherwise the first bytes in hexadecimal. */
  readonly text: string
  /** Whether the response has ended. */
  readonly isComplete: boolean
  /** Whether the response is longer than the part that was read. */
  readonly isTruncated: boolean
}

// Longer responses make the page slow.
const maxBytes = 500_000
const truncationBytes = 256

/**
 * Sends a request to the gateway from which this page was loaded.
 *
 * @param signal - cancels the response; the received part remains
 * @param onProgress - called with each chunk of the response
 * @throws TypeError when there is no response
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
    // A call with another credential must not send the session cookie.
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
      isTruncated: bytes >= maxBytes,
    })
  report(false)
  const reader = response.body?.getReader()
  try {
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
      text += read(chunk.value, bytes)
      bytes += chunk.value.length
      if (bytes >= maxBytes) break
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
  return target.replace(tokenPlaceholder, () => encodeURIComponent(token))
}

function headersOf(credential: Credential): Readonly<Record<string, string>> {
  if (credential.kind === 'api-key') return { Authorization: `Bearer ${credential.key}` }
  return credential.kind === 'session' ? { 'X-CSRF-Token': credential.csrfToken } : {}
}

/** Returns a decoder for the chunks of a body by its media type: to text, or the first bytes in hexadecimal. */
function readerOf(mediaType: string): (chunk: Uint8Array, offset: number) => string {
  if (/json|text|csv|yaml/.test(mediaType)) {
    const decoder = new TextDecoder()
    return (chunk) => decoder.decode(chunk, { stream: true })
  }
  return (chunk, offset) =>
    [...chunk.subarray(0, Math.max(0, truncationBytes - offset))]
      .map((byte) => `${byte.toString(16).padStart(2, '0')} `)
      .join('')
}
