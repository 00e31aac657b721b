import { Readable } from 'node:stream'
import type { UpstreamResponse } from './upstream-response.ts'

/**
 * Transforms the text of a response while it streams, without buffering it.
 *
 * @param response - not yet read
 * @param rewrite - called with pieces of the text, each ending after a comma; each byte is one character
 */
export function rewriteResponse(
  response: UpstreamResponse,
  rewrite: (text: string) => string,
): UpstreamResponse {
  async function* rewritten() {
    let rest = ''
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      const text = rest + chunk.toString('latin1')
      const end = text.lastIndexOf(',') + 1
      rest = text.slice(end)
      if (end > 0) yield Buffer.from(rewrite(text.slice(0, end)), 'latin1')
    }
    if (rest !== '') yield Buffer.from(rewrite(rest), 'latin1')
  }
  const body = Readable.from(rewritten(), { objectMode: false })
  return {
    body: Object.assign(body, { dump: () => response.body.dump() }),
    contentLength: undefined,
    delimited: response.delimited,
    secrets: response.secrets,
  }
}
