import { createFrameReader, frameMessage } from '@fairlead/grpc-transport/wire'
import { SubscribeRequest, SubscribeUpdate } from '@fairlead/grpc/geyser'
import { describe, expect, it } from 'vitest'
import { GeyserSubscription } from '@fairlead/gateway-grpc/geyser/geyser-subscription'

type Update = Parameters<typeof SubscribeUpdate.fromPartial>[0]

const signature = (seed: number) => new Uint8Array(64).fill(seed)

const updateOf = (update: Update) => SubscribeUpdate.encode(SubscribeUpdate.fromPartial(update)).finish()

const transaction = (slot: bigint, seed: number, filters = ['t']) =>
  updateOf({
    filters,
    updateOneof: {
      $case: 'transaction',
      value: { slot, transaction: { signature: signature(seed), index: BigInt(seed) } },
    },
  })

const account = (slot: bigint, fields: { lamports?: bigint; writeVersion?: bigint; isStartup?: boolean }) =>
  updateOf({
    filters: ['a'],
    updateOneof: {
      $case: 'account',
      value: {
        slot,
        isStartup: fields.isStartup ?? false,
        account: {
          pubkey: new Uint8Array(32).fill(1),
          lamports: fields.lamports ?? 1n,
          data: Uint8Array.of(1),
          writeVersion: fields.writeVersion ?? 1n,
        },
      },
    },
  })

const framed = (...messages: readonly Uint8Array[]) =>
  Buffer.concat(messages.map((message) => frameMessage(message)))

function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const reader = createFrameReader({ maxMessageBytes: 1_000_000 })
  reader.push(bytes)
  const messages: Uint8Array[] = []
  for (let next = reader.read(); next; next = reader.read()) messages.push(next)
  reader.end()
  return messages
}

function subscription(request: Parameters<typeof SubscribeRequest.fromPartial>[0] = {}) {
  const created = new GeyserSubscription()
  const bytes = framed(SubscribeRequest.encode(SubscribeRequest.fromPartial(request)).finish())
  expect(Buffer.from(created.transformRequests(bytes))).toEqual(bytes)
  return created
}

const resumedBy = (created: GeyserSubscription) =>
  messagesOf(created.resume() ?? new Uint8Array()).map((message) => SubscribeRequest.decode(message))[0]

it('forwards complete messages, however they are split', () => {
  const resumable = subscription()
  const bytes = framed(transaction(100n, 1), updateOf({ updateOneof: { $case: 'ping', value: {} } }))
  const forwarded = [...bytes].map((byte) => resumable.transformUpdates(Uint8Array.of(byte)))
  expect(Buffer.concat(forwarded)).toEqual(bytes)
  const batch = framed(transaction(101n, 2), transaction(101n, 3))
  expect(messagesOf(resumable.transformUpdates(batch.subarray(0, -3)))).toHaveLength(1)
  expect(messagesOf(Buffer.concat([resumable.transformUpdates(batch.subarray(-3))]))).toHaveLength(1)
})

it('resumes with the current request, some slots before the latest one', () => {
  const resumable = subscription({ slots: { all: {} }, fromSlot: 50n })
  resumable.transformUpdates(
    framed(...Array.from({ length: 40 }, (_, at) => transaction(BigInt(60 + at), at))),
  )
  expect(resumedBy(resumable)).toMatchObject({ fromSlot: 91n, slots: { all: {} } })
  const ping = SubscribeRequest.fromPartial({ ping: { id: 1 } })
  const changed = SubscribeRequest.fromPartial({ entry: { e: {} } })
  resumable.transformRequests(
    framed(...[changed, ping].map((request) => SubscribeRequest.encode(request).finish())),
  )
  const next = resumedBy(resumable)
  expect([Object.keys(next?.entry ?? {}), Object.keys(next?.slots ?? {}), next?.ping]).toEqual([
    ['e'],
    [],
    undefined,
  ])
})

it('requests no slot before the first update', () => {
  const resumable = subscription()
  resumable.transformUpdates(framed(transaction(100n, 1), transaction(102n, 1)))
  expect(resumedBy(resumable)?.fromSlot).toBe(100n)
})

it('resends the request unchanged when nothing has been received', () => {
  expect(resumedBy(subscription({ fromSlot: 7n }))?.fromSlot).toBe(7n)
  expect(resumedBy(subscription())?.fromSlot).toBeUndefined()
  expect(new GeyserSubscription().resume()).toBeUndefined()
})

describe('after it resumes', () => {
  it('drops delivered updates, and forwards missing ones', () => {
    const resumable = subscription()
    resumable.transformUpdates(framed(transaction(100n, 1), transaction(100n, 2), transaction(101n, 1)))
    // The rest of a truncated message never arrives.
    resumable.transformUpdates(framed(transaction(101n, 2)).subarray(0, 20))
    resumable.resume()
    const replayed = [
      transaction(100n, 1),
      transaction(100n, 2),
      transaction(100n, 3),
      transaction(101n, 1),
      transaction(101n, 2),
      transaction(102n, 1),
    ]
    const forwarded = messagesOf(resumable.transformUpdates(framed(...replayed)))
    expect(forwarded).toEqual([replayed[2], replayed[4], replayed[5]])
    // Once more, at a third upstream.
    resumable.resume()
    expect(messagesOf(resumable.transformUpdates(framed(...replayed)))).toEqual([])
  })

  it.each<[string, Uint8Array, Uint8Array, boolean]>([
    ['write versions, which nodes count', account(100n, {}), account(100n, { writeVersion: 9n }), true],
    ['lamports', account(100n, {}), account(100n, { lamports: 2n }), false],
    ['accounts of a snapshot', account(100n, { isStartup: true }), account(100n, { isStartup: true }), false],
    ['filters', transaction(100n, 1, ['a']), transaction(100n, 1, ['b']), false],
    ['filters in any order', transaction(100n, 1, ['a', 'b']), transaction(100n, 1, ['b', 'a']), true],
    [
      'pings',
      updateOf({ updateOneof: { $case: 'ping', value: {} } }),
      updateOf({ updateOneof: { $case: 'ping', value: {} } }),
      false,
    ],
    ['what is no update', Uint8Array.of(255), Uint8Array.of(255), false],
  ])('distinguishes updates by %s', (_, first, second, isRepetition) => {
    const resumable = subscription()
    resumable.transformUpdates(framed(first))
    resumable.resume()
    expect(messagesOf(resumable.transformUpdates(framed(second)))).toHaveLength(isRepetition ? 0 : 1)
  })

  it('stores only the keys of the latest slots', () => {
    const resumable = subscription()
    for (let slot = 100n; slot <= 200n; slot++) resumable.transformUpdates(framed(transaction(slot, 1)))
    expect(resumedBy(resumable)?.fromSlot).toBe(192n)
    const replayed = Array.from({ length: 10 }, (_, at) => transaction(191n + BigInt(at), 1))
    // Slot 191 was not requested.
    expect(messagesOf(resumable.transformUpdates(framed(...replayed)))).toEqual([replayed[0]])
  })
})

it('rejects compressed messages', () => {
  const resumable = subscription()
  expect(() => resumable.transformUpdates(Uint8Array.of(1, 0, 0, 0, 1, 7))).toThrow('compressed')
})

it('rejects requests larger than 4 MiB by their length prefix', () => {
  const resumable = subscription()
  expect(() => resumable.transformRequests(Uint8Array.of(0, 0, 0x50, 0, 0))).toThrow('larger than the limit')
})
