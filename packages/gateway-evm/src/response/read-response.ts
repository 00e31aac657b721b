import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import { Buffer } from 'node:buffer'
import type { CancellationSignal } from '@fairlead/runtime'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { UpstreamResponse } from './upstream-response.ts'
import { toRpcError } from './rpc-errors.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'
import { parseResult, responseText, toRpcResponse } from './rpc-response.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * Reads an upstream's response to its end.
 *
 * @param response - not yet read
 * @param reservation - memory reservation for the response
 * @param signal - cancellation signal of the exchange
 * @throws {@link MemoryLimitError} when the memory budget is exhausted, else as {@link Upstream.post}
 */
export async function readResponse(
  response: UpstreamResponse,
  reservation: Reservation,
  signal: CancellationSignal,
): Promise<string> {
  return (await readBytes(response, reservation, signal)).toString('utf8')
}

/** As {@link readResponse}, as bytes. */
export async function readBytes(
  response: UpstreamResponse,
  reservation: Reservation,
  signal: CancellationSignal,
): Promise<Buffer> {
  const { bytes } = response
  if (bytes) {
    reservation.take(bytes.length)
    return bytes
  }
  let length = 0
  try {
    return await collectBody(response.body, (added) => {
      reservation.take(added)
      length += added
    })
  } catch (error) {
    // Releases the memory of the discarded response for other responses.
    reservation.shrink(length)
    throw toRpcError(error) ? error : unavailable(error, signal)
  }
}

/**
 * Returns the text of a buffered response if it can be passed through unchanged: a result with the id of the request.
 *
 * @param idText - id that any upstream returns unchanged
 * @returns undefined for every other response
 */
export function tryPassThrough(response: UpstreamResponse, idText: string): string | undefined {
  const { latin1 } = response
  // In UTF-8, only ASCII text has one byte per character.
  if (latin1 === undefined || Buffer.byteLength(latin1) !== latin1.length) return undefined
  try {
    const value: unknown = response.value ?? JSON.parse(latin1)
    if (!isRecord(value) || value['result'] === undefined || value['error'] !== undefined) return undefined
    return value['jsonrpc'] === '2.0' && JSON.stringify(value['id']) === idText ? latin1 : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads an upstream's response to its end and replaces its id. A result is passed through verbatim, and so is an error
 * that needs no normalization.
 *
 * @throws {@link UpstreamError} with status 502 when it is not a JSON-RPC response, else as {@link readResponse}
 */
export async function readWithId(
  response: UpstreamResponse,
  { method, idText, reservation, signal }: Reading & { readonly idText: string },
): Promise<string> {
  const text = await readResponse(response, reservation, signal)
  return responseText(idText, toRpcResponse(text, method, response.secrets))
}

/**
 * Reads an upstream's response to its end and parses it.
 *
 * @returns the result
 * @throws {@link RpcError} with the upstream's error, else as {@link readWithId}
 */
export async function readResult(
  response: UpstreamResponse,
  { method, reservation, signal }: Reading,
): Promise<unknown> {
  return parseResult(await readResponse(response, reservation, signal), method, response.secrets)
}

/** Options for reading a response. */
interface Reading {
  /** Method of the call. */
  readonly method: string
  /** Memory reservation for the response. */
  readonly reservation: Reservation
  /** Cancellation signal of the exchange. */
  readonly signal: CancellationSignal
}
