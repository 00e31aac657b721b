import type { CancellationSignal } from '@fairlead/runtime'
import { readUpTo } from './body.ts'
import { BufferedResponse } from './buffered-response.ts'
import { toUpstreamError, unavailable } from '@fairlead/gateway-core/upstream/upstream-error'
import type { UpstreamResponse } from './upstream-response.ts'

const maxShortBytes = 64 * 1024

/**
 * Reads the beginning of a response. A short response is then buffered completely, a long one remains a stream.
 *
 * @param response - not yet read
 * @param signal - cancellation signal of the exchange
 * @returns an unread response, with `bytes` when it is short
 * @throws {@link UpstreamError} as `Upstream.post` when the response is interrupted before that
 */
export async function bufferShortResponse(
  response: UpstreamResponse,
  signal: CancellationSignal,
): Promise<UpstreamResponse> {
  if (response.bytes || Number(response.contentLength ?? 0) > maxShortBytes) return response
  const bytes = await readUpTo(response.body, maxShortBytes).catch((error: unknown) => {
    throw unavailable(error, signal)
  })
  return bytes ? new BufferedResponse(bytes, response) : response
}

/**
 * Reads a response to its end unless it exceeds the limit. A response that exceeds it can still be read completely.
 *
 * @param response - not yet read
 * @param limit - maximum number of bytes to read
 * @param signal - of the call
 * @returns undefined for a response that exceeds the limit
 * @throws UpstreamError when the call is cancelled or the upstream ends the response early; any other error of the body
 */
export async function shortBytes(
  response: UpstreamResponse,
  limit: number,
  signal: CancellationSignal,
): Promise<Buffer | undefined> {
  const { bytes, contentLength } = response
  if (bytes) return bytes.length <= limit ? bytes : undefined
  if (contentLength !== undefined && Number(contentLength) > limit) return undefined
  return readUpTo(response.body, limit).catch((error: unknown) => {
    throw signal.aborted ? unavailable(error, signal) : (toUpstreamError(error) ?? error)
  })
}
