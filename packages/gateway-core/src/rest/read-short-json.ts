import type { CancellationSignal } from '@fairlead/runtime'
import { collectBody } from '../http/collect-body.ts'
import { parseJson } from '../json.ts'
import type { RestUpstream } from './rest-call.ts'

const maxBytes = 65_536

/**
 * Reads a short JSON document from an upstream.
 *
 * @param target - path and query, relative to the URL of the upstream
 * @returns undefined when the response is not JSON
 * @throws RestError as {@link RestUpstream.request}; Error for a status other than 2xx, and for more than 64 KiB
 */
export async function readShortJson(
  upstream: RestUpstream,
  target: string,
  signal: CancellationSignal,
): Promise<unknown> {
  const headers = { accept: 'application/json' }
  const response = await upstream.request({ method: 'GET', target, headers, tenant: undefined, signal })
  if (!('body' in response)) throw new Error(`The upstream responded with HTTP ${response.status}.`)
  let total = 0
  const bytes = await collectBody(response.body, (length) => {
    total += length
    if (total > maxBytes) throw new Error(`The response is longer than ${maxBytes} bytes.`)
  })
  return parseJson(bytes.toString('utf8'))
}
