import type { CallStart, Transport } from './call.ts'
import { GrpcError } from './grpc-error.ts'
import type { Metadata } from './metadata.ts'
import { Status } from './status.ts'

/** What one request was answered with. */
export interface UnaryAnswer {
  readonly message: Uint8Array
  readonly headers: Metadata
  readonly trailers: Metadata
}

/**
 * Sends one message and waits for the one that answers it.
 *
 * @param transport - way to the server
 * @param start - path, metadata, limit in milliseconds and signal of the call
 * @param message - bytes of the request
 * @returns bytes of the answer, with the metadata before and after it
 * @throws GrpcError any status but OK, and UNIMPLEMENTED where the server sends no message or several; the reason of the
 *   signal
 * @example
 * ```ts
 * const answer = await callUnary(transport, { path: '/geyser.Geyser/GetVersion', timeoutMs: 30_000 }, new Uint8Array())
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export async function callUnary(
  transport: Transport,
  start: CallStart,
  message: Uint8Array,
): Promise<UnaryAnswer> {
  const call = transport.open(start)
  // It never rejects, and what goes wrong shows in the answer.
  void call.send(message)
  call.end()
  let answer: Uint8Array | undefined
  // A message that waits but cannot be read, as it does not decompress, is followed by the failure of the call.
  while (answer === undefined && (await call.readable())) answer = call.read()
  if (answer === undefined) throw new GrpcError(Status.UNIMPLEMENTED, 'the server answered without a message')
  if (await call.readable()) {
    const error = new GrpcError(Status.UNIMPLEMENTED, 'the server answered with more than one message')
    call.cancel(error)
    throw error
  }
  return { message: answer, headers: await call.headers, trailers: call.trailers ?? {} }
}
