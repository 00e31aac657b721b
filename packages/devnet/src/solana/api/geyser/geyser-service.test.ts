import { GeyserDefinition } from '@fairlead/grpc/geyser'
import { HealthDefinition } from '@fairlead/grpc/health'
import { callUnary, Status } from '@fairlead/grpc-transport'
import { describe, expect, it } from 'vitest'
import { callStream, serveSolana, UpdateStream } from '../../../../test/solana-api.ts'

const { methods, fullName } = GeyserDefinition
const health = HealthDefinition

describe('the Geyser service', () => {
  it('returns the slot of each commitment level', async () => {
    const { chain, transport } = await serveSolana({ finalityBlocks: 4 })
    for (let made = 0; made < 10; made++) chain.makeSlot()
    for (const commitment of [0, 1, 2] as const) {
      const { slot, blockhash, blockHeight } = chain.tip(commitment)
      expect(await callStream(transport, fullName, methods.getSlot, { commitment })).toEqual({ slot })
      expect(await callStream(transport, fullName, methods.getBlockHeight, { commitment })).toEqual({
        blockHeight,
      })
      expect(await callStream(transport, fullName, methods.getLatestBlockhash, { commitment })).toEqual({
        slot,
        blockhash,
        lastValidBlockHeight: blockHeight + 300n,
      })
    }
    const [processed, finalized] = [chain.tip(0), chain.tip(2)]
    expect(processed.slot).toBeGreaterThan(finalized.slot)
    expect(await callStream(transport, fullName, methods.getSlot, {})).toEqual({ slot: processed.slot })
    const isValid = (commitment: 0 | 2) =>
      callStream(transport, fullName, methods.isBlockhashValid, {
        blockhash: processed.blockhash,
        commitment,
      })
    expect(await isValid(0)).toEqual({ slot: processed.slot, valid: true })
    expect(await isValid(2)).toEqual({ slot: finalized.slot, valid: false })
  })

  it('responds to pings, and returns its version and the first available slot', async () => {
    const { chain, transport } = await serveSolana()
    expect(await callStream(transport, fullName, methods.ping, { count: -5 })).toEqual({ count: -5 })
    expect(await callStream(transport, fullName, methods.subscribeReplayInfo, {})).toEqual({
      firstAvailable: chain.firstAvailableSlot,
    })
    const { version } = await callStream(transport, fullName, methods.getVersion, {})
    expect(JSON.parse(version)).toMatchObject({
      version: { package: expect.any(String), solana: expect.any(String) },
      extra: { hostname: expect.any(String) },
    })
  })

  it.each([
    ['/geyser.Geyser/SubscribeDeshred', Status.UNIMPLEMENTED],
    ['/geyser.Geyser/Nothing', Status.UNIMPLEMENTED],
  ])('has no %s', async (path, code) => {
    const { transport } = await serveSolana()
    await expect(callUnary(transport, { path }, new Uint8Array())).rejects.toMatchObject({ code })
  })

  it('rejects an invalid commitment level', async () => {
    const { transport } = await serveSolana()
    await expect(
      callStream(transport, fullName, methods.getSlot, { commitment: 9 as 0 }),
    ).rejects.toMatchObject({
      code: Status.INVALID_ARGUMENT,
    })
  })

  it('closes its streams on shutdown', async () => {
    const { transport, close } = await serveSolana()
    const stream = await UpdateStream.open(transport, { slots: { s: {} } })
    const failure = stream.failure()
    await close()
    expect((await failure).code).toBe(Status.UNAVAILABLE)
  })
})

describe('the health service', () => {
  it('reports each service as serving', async () => {
    const { transport } = await serveSolana()
    for (const service of ['', 'geyser.Geyser'])
      expect(await callStream(transport, health.fullName, health.methods.check, { service })).toEqual({
        status: 1,
      })
    await expect(
      callStream(transport, health.fullName, health.methods.check, { service: 'other' }),
    ).rejects.toMatchObject({ code: Status.NOT_FOUND })
    const { statuses } = await callStream(transport, health.fullName, health.methods.list, {})
    expect(statuses).toMatchObject({ '': { status: 1 }, 'geyser.Geyser': { status: 1 } })
  })

  it.each([
    ['geyser.Geyser', 1],
    ['other', 3],
  ])('reports %s and keeps the stream open for watchers', async (service, status) => {
    const { transport } = await serveSolana()
    const call = transport.open({ path: '/grpc.health.v1.Health/Watch' })
    void call.send(health.methods.watch.requestType.encode({ service }).finish())
    call.end()
    expect(await call.readable()).toBe(true)
    expect(health.methods.watch.responseType.decode(call.read() ?? new Uint8Array())).toEqual({ status })
    const next = call.readable()
    call.cancel()
    await expect(next).rejects.toMatchObject({ code: Status.CANCELLED })
  })
})
