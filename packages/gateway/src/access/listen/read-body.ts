import type { IncomingMessage } from 'node:http'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'

/**
 * Reads a request body up to a limit. A longer one is left where it is, so that the answer can still be sent.
 *
 * @param request - an HTTP request
 * @param maxBytes - longest body
 * @throws {@link RpcFailure} with status 413 when it is longer
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLong(maxBytes)
  const chunks: Buffer[] = []
  let length = 0
  // The ordinary iterator would end the connection along with the loop, and with it the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw tooLong(maxBytes)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

/** Tells whether what is left of a body is short enough to be read and thrown away. */
export function isShort({ headers }: IncomingMessage, maxBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > maxBytes)
}

function tooLong(maxBytes: number): RpcFailure {
  return new RpcFailure(rpcCodes.invalidRequest, `The body may hold at most ${maxBytes} bytes.`, {
    status: 413,
    data: { max_bytes: maxBytes },
  })
}
