import type { CallStart, Transport } from './call.ts'
import { GrpcError } from './grpc-error.ts'
import type { Metadata } from './metadata.ts'
import { Status } from './status.ts'

/** The response to one request. */
export interface UnaryResponse {
  readonly message: Uint8Array
  readonly headers: Metadata
  readonly trailers: Metadata
}

/**
 * Sends one message and waits for its response.
 *
 * @param transport - transport to the server
 * @param start - path, metadata, timeout in milliseconds and signal of the call
 * @param message - bytes of the request
 * @returns bytes of the response, with the metadata before and after it
 * @throws GrpcError any status but OK, and UNIMPLEMENTED when the server sends no message or several; the reason of the
 *   signal
 * @example
 * ```ts
 * const response = await callUnary(transport, { path: '/geyser.Geyser/GetVersion', timeoutMs: 30_000 }, new Uint8Array())
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export async function callUnary(
  transport: Transport,
  start: CallStart,
  message: Uint8Array,
): Promise<UnaryResponse> {
  const call = transport.open(start)
  // It never rejects; errors appear in the response.
  void call.send(message)
  call.end()
  let response: Uint8Array | undefined
  // A message that cannot be decompressed is followed by the failure of the call.
  while (response === undefined && (await call.readable())) response = call.read()
  if (response === undefined)
    throw new GrpcError(Status.UNIMPLEMENTED, 'the server answered without a message')
  if (await call.readable()) {
    const error = new GrpcError(Status.UNIMPLEMENTED, 'the server answered with more than one message')
    call.cancel(error)
    throw error
  }
  return { message: response, headers: await call.headers, trailers: call.trailers ?? {} }
}
