/** Writes and reads the bytes of one kind of message, as code generation gives it. */
export interface MessageCodec<message> {
  encode(message: message): { finish(): Uint8Array }
  decode(bytes: Uint8Array): message
}

/** The messages that a codec writes and reads. */
export type MessageOf<codec> = codec extends MessageCodec<infer message> ? message : never

/** What is written for a message: fields may be left out where code generation can fill them in. */
export type MessageInput<codec> = codec extends { fromPartial(object: infer partial): unknown }
  ? partial
  : MessageOf<codec>

/**
 * Encodes a message, after the fields that were left out are filled in where the codec can do that.
 *
 * @param codec - writes the message, as code generation gives it
 * @param message - the message, or the fields of it that are not empty
 * @returns bytes of the message, for `frameMessage`
 * @throws what the codec throws for a value that has not the type of its field
 * @example
 * ```ts
 * stream.write(frameMessage(encodeMessage(GetSlotResponse, { slot: 7n })))
 * ```
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function encodeMessage(codec: MessageCodec<unknown>, message: unknown): Uint8Array {
  const { fromPartial } = codec as { fromPartial?: (message: unknown) => unknown }
  return codec.encode(fromPartial ? fromPartial.call(codec, message) : message).finish()
}

/** A method of a service: its name on the wire, its two messages, and which of them come as streams. */
export interface MethodDefinition<request, response> {
  readonly name: string
  readonly requestType: MessageCodec<request>
  readonly requestStream: boolean
  readonly responseType: MessageCodec<response>
  readonly responseStream: boolean
}

/** A service as code generation describes it; the same object serves a client and a server. */
export interface ServiceDefinition {
  /** Name with its package, for example `grpc.health.v1.Health`: the first part of every path. */
  readonly fullName: string
  // oxlint-disable-next-line typescript/no-explicit-any -- messages of any type; each method narrows its own
  readonly methods: Readonly<Record<string, MethodDefinition<any, any>>>
}
