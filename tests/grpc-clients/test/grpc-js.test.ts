import { GeyserDefinition, SubscribeRequest, type SubscribeUpdate } from '@fairlead/grpc/geyser'
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from '@fairlead/grpc/health'
import { ServerReflectionDefinition, ServerReflectionRequest } from '@fairlead/grpc/reflection'
import { LedgerServiceDefinition } from '@fairlead/grpc/sui'
import { status } from '@grpc/grpc-js'
import { afterAll, describe, expect, inject, it, vi } from 'vitest'
import { grpcJs, methodOf } from './grpc/grpc-js.ts'

// The third-party client, with our messages, through the gateway to the embedded chain.
const {
  base_url: base,
  api_key: apiKey,
  nodes: [evm, , , node],
} = inject('development')
const client = grpcJs(node.grpc_url, node.x_token)
const invalidTokens = [
  undefined,
  '',
  'wrong',
  node.token,
  evm.token,
  `${node.username}:${node.password}`,
  apiKey,
]
afterAll(() => client.close())

const getSlot = methodOf(GeyserDefinition, 'getSlot')
const subscribe = methodOf(GeyserDefinition, 'subscribe')
const sample = async (line: string) => {
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((candidate) => candidate.startsWith(`${line} `))
      ?.slice(line.length + 1) ?? 0,
  )
}
// Calls of all clients of the gateway: each test file ends its own.
const openCalls = () => sample('fairlead_grpc_open_calls')

describe('@grpc/grpc-js calls', () => {
  it('unary methods', async () => {
    const { messages, status: end, headers } = await client.call(getSlot, {})
    expect(end).toMatchObject({ code: status.OK, details: '' })
    expect(messages[0]?.slot).toBeGreaterThan(0n)
    expect(headers?.get('content-type')).toEqual(['application/grpc'])
    const { messages: hashes } = await client.call(methodOf(GeyserDefinition, 'getLatestBlockhash'), {})
    const blockhash = hashes[0]?.blockhash ?? ''
    const valid = await client.call(methodOf(GeyserDefinition, 'isBlockhashValid'), { blockhash })
    expect(valid.messages[0]?.valid).toBe(true)
    const many = await Promise.all(Array.from({ length: 64 }, () => client.call(getSlot, {})))
    expect(new Set(many.map(({ status: { code } }) => code))).toEqual(new Set([status.OK]))
  })

  it('a bidirectional stream, until it has enough updates', async () => {
    const { stream, ended } = client.open(subscribe)
    stream.write(SubscribeRequest.fromPartial({ slots: { all: {} } }))
    stream.write(SubscribeRequest.fromPartial({ ping: { id: 3 } }))
    const updates: SubscribeUpdate[] = []
    for await (const update of stream) {
      updates.push(update as SubscribeUpdate)
      const kinds = updates.map(({ updateOneof }) => updateOneof?.$case)
      if (kinds.includes('pong') && kinds.filter((kind) => kind === 'slot').length > 2) break
    }
    stream.cancel()
    expect((await ended).code).toBe(status.CANCELLED)
    expect(updates.find(({ updateOneof }) => updateOneof?.$case === 'pong')?.updateOneof?.value).toEqual({
      id: 3,
    })
    await vi.waitUntil(async () => (await openCalls()) === 0, 20_000)
  })

  it('a stream until its deadline', async () => {
    const { stream, ended } = client.open(subscribe, { deadline: Date.now() + 400 })
    stream.write(SubscribeRequest.fromPartial({}))
    stream.resume()
    expect((await ended).code).toBe(status.DEADLINE_EXCEEDED)
    await vi.waitUntil(async () => (await openCalls()) === 0, 20_000)
  })

  it('the health and the reflection of the node', async () => {
    const check = methodOf(HealthDefinition, 'check')
    for (const service of ['', 'geyser.Geyser']) {
      const { messages } = await client.call(check, { service })
      expect(messages).toEqual([{ status: ServingStatus.SERVING }])
    }
    const unknownService = await client.call(check, { service: 'no.Service' })
    expect(unknownService.status.code).toBe(status.NOT_FOUND)
    const { stream } = client.open(methodOf(ServerReflectionDefinition, 'serverReflectionInfo'))
    stream.write(
      ServerReflectionRequest.fromPartial({ messageRequest: { $case: 'listServices', value: '' } }),
    )
    stream.end()
    const names: string[] = []
    for await (const { messageResponse } of stream) {
      if (messageResponse?.$case !== 'listServicesResponse') continue
      names.push(...messageResponse.value.service.map(({ name }: { readonly name: string }) => name))
    }
    expect(names).toEqual(expect.arrayContaining(['geyser.Geyser', 'grpc.health.v1.Health']))
  })
})

describe('@grpc/grpc-js receives', () => {
  it('the reason why its token is rejected', async () => {
    for (const token of invalidTokens) {
      const unauthenticated = grpcJs(node.grpc_url, token)
      const { status: end } = await unauthenticated.call(getSlot, {})
      const { stream, ended } = unauthenticated.open(subscribe)
      stream.resume()
      for (const { code, details } of [end, await ended]) {
        expect(code).toBe(status.UNAUTHENTICATED)
        expect(details).toMatch(/x-token/)
        if (token) expect(details).not.toContain(token)
      }
      unauthenticated.close()
    }
  })

  it('UNIMPLEMENTED for missing methods', async () => {
    const unimplemented = await client.call(methodOf(LedgerServiceDefinition, 'getServiceInfo'), {})
    expect(unimplemented.status.code).toBe(status.UNIMPLEMENTED)
    for (const path of ['/geyser.Geyser/NoSuch', '/no.Such/Method', '/', '/geyser.Geyser', '//']) {
      const { status: end } = await client.call({ ...getSlot, path }, {})
      expect(`${path} ${end.code}`).toBe(`${path} ${status.UNIMPLEMENTED}`)
    }
    const { stream, ended } = client.open(methodOf(GeyserDefinition, 'subscribeDeshred'))
    stream.resume()
    expect((await ended).code).toBe(status.UNIMPLEMENTED)
  })

  it('the reason why a request is invalid', async () => {
    const { stream, ended } = client.open(subscribe)
    stream.write(SubscribeRequest.fromPartial({ accounts: { all: { account: ['no key'] } } }))
    stream.resume()
    const end = await ended
    expect(end.code).toBe(status.INVALID_ARGUMENT)
    expect(end.details).toMatch(/^failed to create filter: /)
    const broken = await client.call({ ...getSlot, serialize: () => Buffer.from([0x0b]) }, {})
    expect([status.INTERNAL, status.INVALID_ARGUMENT]).toContain(broken.status.code)
    const large = await client.call({ ...getSlot, serialize: () => Buffer.alloc(5 << 20) }, {})
    expect(large.status.code).toBe(status.RESOURCE_EXHAUSTED)
    expect((await client.call(getSlot, {})).status.code).toBe(status.OK)
  })
})
