import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createFileRegistry,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  toBinary,
} from '@bufbuild/protobuf'
import { methods as contractMethods } from '@fairlead/grpc/contract'
import * as geyser from '@fairlead/grpc/geyser'
import * as health from '@fairlead/grpc/health'
import * as reflection from '@fairlead/grpc/reflection'
import * as sui from '@fairlead/grpc/sui'
import { describe, expect, it } from 'vitest'
import { buildProtos } from './buf.ts'
import { sampleOf } from './grpc-samples.ts'

const folder = await mkdtemp(join(tmpdir(), 'fairlead-contract-'))
const registry = createFileRegistry(await buildProtos(join(folder, 'built.binpb')))
await rm(folder, { recursive: true })

/** The number of members of the largest oneof. */
const maxMembers = Math.max(
  ...[...registry.files].flatMap(({ messages }) =>
    messages.flatMap(({ oneofs }) => oneofs.map(({ fields }) => fields.length)),
  ),
)

const streams: Readonly<Record<DescMethod['methodKind'], Readonly<Record<string, boolean>>>> = {
  unary: { requestStream: false, responseStream: false },
  server_streaming: { requestStream: false, responseStream: true },
  client_streaming: { requestStream: true, responseStream: false },
  bidi_streaming: { requestStream: true, responseStream: true },
}

interface Codec {
  encode(message: unknown): { finish(): Uint8Array }
  decode(bytes: Uint8Array): unknown
}

interface Definition {
  readonly fullName: string
  readonly methods: Readonly<Record<string, unknown>>
}

function declaredIn(packageName: string): { messages: DescMessage[]; services: DescService[] } {
  const files = [...registry.files].filter(({ proto }) => proto.package === packageName)
  return {
    messages: files.flatMap(({ messages }) => messages),
    services: files.flatMap(({ services }) => services),
  }
}

const entries: readonly { readonly name: string; readonly exports: Readonly<Record<string, unknown>> }[] = [
  { name: 'geyser', exports: geyser },
  { name: 'solana.storage.ConfirmedBlock', exports: geyser },
  { name: 'sui.rpc.v2', exports: sui },
  { name: 'grpc.health.v1', exports: health },
  { name: 'grpc.reflection.v1', exports: reflection },
]

describe.each(entries)('the code for $name', ({ name, exports }) => {
  const { messages, services } = declaredIn(name)

  it('has every message, and preserves the bytes of another encoder', () => {
    expect(messages).not.toEqual([])
    for (const message of messages) {
      const codec = exports[message.name] as Codec | undefined
      if (!codec) throw new Error(`no ${message.typeName}`)
      for (let choice = 0; choice < maxMembers; choice++) {
        const sample = sampleOf(message, choice)
        const written = codec.encode(codec.decode(toBinary(message, sample))).finish()
        expect(fromBinary(message, written), `${message.typeName}, member ${choice}`).toEqual(sample)
      }
    }
  })

  it('has every service with its RPCs', () => {
    for (const service of services) {
      const definition = exports[`${service.name}Definition`] as Definition | undefined
      expect(definition?.fullName).toBe(service.typeName)
      expect(Object.entries(definition?.methods ?? {})).toEqual(
        service.methods.map(({ name: rpc, localName, input, output, methodKind }) => [
          localName,
          expect.objectContaining({
            name: rpc,
            requestType: exports[input.name],
            responseType: exports[output.name],
            ...streams[methodKind],
          }),
        ]),
      )
    }
  })
})

it('lists every RPC in the contract for the gateway', () => {
  const rpcs = [...registry.files].flatMap(({ services }) => services.flatMap(({ methods }) => methods))
  const expected = rpcs.map(({ parent, name, methodKind }) => [
    `/${parent.typeName}/${name}`,
    streams[methodKind],
  ])
  expect(contractMethods).toEqual(Object.fromEntries(expected))
})
