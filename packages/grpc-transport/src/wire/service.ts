/** Encodes and decodes one type of message; part of the generated code. */
export interface MessageCodec<message> {
  encode(message: message): { finish(): Uint8Array }
  decode(bytes: Uint8Array): message
}

/** The message type of a codec. */
export type MessageOf<codec> = codec extends MessageCodec<infer message> ? message : never

/** The input type of a message: fields are optional if the generated code can fill them in. */
export type MessageInput<codec> = codec extends { fromPartial(object: infer partial): unknown }
  ? partial
  : MessageOf<codec>

/**
 * Encodes a message, after filling in omitted fields if the codec supports it.
 *
 * @param codec - codec of the message from the generated code
 * @param message - the message, or its fields that are not empty
 * @returns bytes of the message, for `frameMessage`
 * @throws errors of the codec for a value that does not have the type of its field
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

/** A method of a service: its name in the path, its two messages, and which of them are streams. */
export interface MethodDefinition<request, response> {
  readonly name: string
  readonly requestType: MessageCodec<request>
  readonly requestStream: boolean
  readonly responseType: MessageCodec<response>
  readonly responseStream: boolean
}

/** A service definition from the generated code; the same object is used by a client and a server. */
export interface ServiceDefinition {
  /** Name with its package, for example `grpc.health.v1.Health`: the first part of every path. */
  readonly fullName: string
  // oxlint-disable-next-line typescript/no-explicit-any -- messages of any type; each method narrows its own
  readonly methods: Readonly<Record<string, MethodDefinition<any, any>>>
}
