import { expectTypeOf, test } from 'vitest'
import { implement, raw } from './implement.ts'
import type { ServerCall, ServerStream } from './server-call.ts'
import { TextDefinition } from './testing/text-service.ts'

test('handlers have the messages of their method, one or a stream of them', () => {
  implement(TextDefinition, {
    one(request, call) {
      expectTypeOf(request).toEqualTypeOf<string>()
      expectTypeOf(call).toEqualTypeOf<ServerCall>()
      return Promise.resolve(request)
    },
    async *talk(requests) {
      expectTypeOf(requests).toEqualTypeOf<AsyncIterable<string>>()
      for await (const request of requests) yield request
    },
    list: raw((stream) => {
      expectTypeOf(stream).toEqualTypeOf<ServerStream>()
      return Promise.resolve()
    }),
  })
})

test('fields of a response can be omitted if the codec fills them in', () => {
  const { one, list } = TextDefinition.methods
  const responseType = {
    encode: ({ a, b }: { a: number; b: number }) => ({ finish: () => Uint8Array.of(a, b) }),
    decode: () => ({ a: 1, b: 2 }),
    fromPartial: ({ a = 0, b = 0 }: { a?: number; b?: number }) => ({ a, b }),
  }
  const methods = { one: { ...one, responseType }, list: { ...list, responseType } }
  implement({ fullName: 'test.Pair', methods }, { one: () => ({ a: 1 }), list: async function* () {} })
  // @ts-expect-error the field is a number
  implement({ fullName: 'test.Pair', methods }, { one: () => ({ a: 'x' }) })
})

test('handlers that do not match the service do not compile', () => {
  // @ts-expect-error the service has no such method
  implement(TextDefinition, { two: (request: string) => request })
  // @ts-expect-error the response is text
  implement(TextDefinition, { one: () => 1 })
  // @ts-expect-error a stream response must be an iterable
  implement(TextDefinition, { list: () => 'text' })
})
