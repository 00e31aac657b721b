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

const framed = (...messages: readonly Uint8Array[]) => Buffer.concat(messages.map((one) => frameMessage(one)))

function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const reader = createFrameReader({ maxMessageBytes: 1_000_000 })
  reader.push(bytes)
  const messages: Uint8Array[] = []
  for (let next = reader.read(); next; next = reader.read()) messages.push(next)
  reader.end()
  return messages
}

function subscription(request: Parameters<typeof SubscribeRequest.fromPartial>[0] = {}) {
  const open = new GeyserSubscription()
  const bytes = framed(SubscribeRequest.encode(SubscribeRequest.fromPartial(request)).finish())
  expect(Buffer.from(open.takeRequests(bytes))).toEqual(bytes)
  return open
}

const resumedBy = (open: GeyserSubscription) =>
  messagesOf(open.resume() ?? new Uint8Array()).map((message) => SubscribeRequest.decode(message))[0]

it('passes messages on whole, however they are cut', () => {
  const open = subscription()
  const bytes = framed(transaction(100n, 1), updateOf({ updateOneof: { $case: 'ping', value: {} } }))
  const passed = [...bytes].map((byte) => open.takeUpdates(Uint8Array.of(byte)))
  expect(Buffer.concat(passed)).toEqual(bytes)
  const long = framed(transaction(101n, 2), transaction(101n, 3))
  expect(messagesOf(open.takeUpdates(long.subarray(0, -3)))).toHaveLength(1)
  expect(messagesOf(Buffer.concat([open.takeUpdates(long.subarray(-3))]))).toHaveLength(1)
})

it('goes on with the request in force, some slots before the newest one', () => {
  const open = subscription({ slots: { all: {} }, fromSlot: 50n })
  open.takeUpdates(framed(...Array.from({ length: 40 }, (_, at) => transaction(BigInt(60 + at), at))))
  expect(resumedBy(open)).toMatchObject({ fromSlot: 91n, slots: { all: {} } })
  const ping = SubscribeRequest.fromPartial({ ping: { id: 1 } })
  const other = SubscribeRequest.fromPartial({ entry: { e: {} } })
  open.takeRequests(framed(...[other, ping].map((request) => SubscribeRequest.encode(request).finish())))
  const next = resumedBy(open)
  expect([Object.keys(next?.entry ?? {}), Object.keys(next?.slots ?? {}), next?.ping]).toEqual([
    ['e'],
    [],
    undefined,
  ])
})

it('asks for nothing before the first update', () => {
  const open = subscription()
  open.takeUpdates(framed(transaction(100n, 1), transaction(102n, 1)))
  expect(resumedBy(open)?.fromSlot).toBe(100n)
})

it('sends the request as it was when nothing has come yet', () => {
  expect(resumedBy(subscription({ fromSlot: 7n }))?.fromSlot).toBe(7n)
  expect(resumedBy(subscription())?.fromSlot).toBeUndefined()
  expect(new GeyserSubscription().resume()).toBeUndefined()
})

describe('after a move', () => {
  it('drops what the client has, and passes what it lacks', () => {
    const open = subscription()
    open.takeUpdates(framed(transaction(100n, 1), transaction(100n, 2), transaction(101n, 1)))
    // The rest of a truncated message never arrives.
    open.takeUpdates(framed(transaction(101n, 2)).subarray(0, 20))
    open.resume()
    const replayed = [
      transaction(100n, 1),
      transaction(100n, 2),
      transaction(100n, 3),
      transaction(101n, 1),
      transaction(101n, 2),
      transaction(102n, 1),
    ]
    const passed = messagesOf(open.takeUpdates(framed(...replayed)))
    expect(passed).toEqual([replayed[2], replayed[4], replayed[5]])
    // Once more, at a third upstream.
    open.resume()
    expect(messagesOf(open.takeUpdates(framed(...replayed)))).toEqual([])
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
  ])('tells updates apart by %s', (_, first, second, isRepetition) => {
    const open = subscription()
    open.takeUpdates(framed(first))
    open.resume()
    expect(messagesOf(open.takeUpdates(framed(second)))).toHaveLength(isRepetition ? 0 : 1)
  })

  it('keeps the keys of the newest slots alone', () => {
    const open = subscription()
    for (let slot = 100n; slot <= 200n; slot++) open.takeUpdates(framed(transaction(slot, 1)))
    expect(resumedBy(open)?.fromSlot).toBe(192n)
    const replayed = Array.from({ length: 10 }, (_, at) => transaction(191n + BigInt(at), 1))
    // Slot 191 was not requested.
    expect(messagesOf(open.takeUpdates(framed(...replayed)))).toEqual([replayed[0]])
  })
})

it('refuses compressed messages', () => {
  const open = subscription()
  expect(() => open.takeUpdates(Uint8Array.of(1, 0, 0, 0, 1, 7))).toThrow('compressed')
})

it('refuses requests larger than 4 MiB by their head', () => {
  const open = subscription()
  expect(() => open.takeRequests(Uint8Array.of(0, 0, 0x50, 0, 0))).toThrow('larger than the limit')
})
