import type { MessageCodec, ServiceDefinition } from '@fairlead/grpc-transport'

const text: MessageCodec<string> = {
  encode: (message) => ({ finish: () => Buffer.from(message) }),
  decode: (bytes) => Buffer.from(bytes).toString(),
}

const method = <const requestStream extends boolean, const responseStream extends boolean>(
  name: string,
  requestStream: requestStream,
  responseStream: responseStream,
) => ({ name, requestType: text, responseType: text, requestStream, responseStream })

/** A gRPC service with a method of each kind. Its messages are strings. */
export const testService = {
  fullName: 'test.Test',
  methods: {
    one: method('One', false, false),
    join: method('Join', true, false),
    split: method('Split', false, true),
    echo: method('Echo', true, true),
  },
} as const satisfies ServiceDefinition
