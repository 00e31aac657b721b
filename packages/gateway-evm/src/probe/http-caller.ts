import { parseRetryAfter } from '@fairlead/gateway-core/upstream/retry-after'
import { type ProbeResponse, type ProbeCaller, readProbeResponse } from './read-response.ts'
import type { ProbeTarget } from './probe-target.ts'

// The rest of a larger response is not read: its beginning distinguishes a result from an error.
const maxBufferedBytes = 16 * 1024 * 1024

/**
 * Creates a caller for an upstream over HTTP.
 *
 * @param target - http or https URL
 * @param timeoutMs - timeout for a complete response
 */
export function createHttpCaller({ url, headers }: ProbeTarget, timeoutMs: number): ProbeCaller {
  let id = 0
  return {
    call: async (method, params, signal) => {
      const limit = AbortSignal.timeout(timeoutMs)
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
          // A redirect could send the token to another host.
          redirect: 'manual',
          signal: AbortSignal.any([signal, limit]),
        })
        const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? undefined)
        return { ...(await readResponse(response)), status: response.status, retryAfterMs }
      } catch {
        return { problem: limit.aborted ? 'timeout' : 'unreachable' }
      }
    },
    close: () => Promise.resolve(),
  }
}

async function readResponse(response: Response): Promise<ProbeResponse> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBufferedBytes) return { hasResult: true }
  }
  return readProbeResponse(Buffer.concat(chunks).toString('utf8'))
}
