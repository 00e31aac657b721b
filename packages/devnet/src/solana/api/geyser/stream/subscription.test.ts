import { SlotStatus, type SubscribeUpdate } from '@fairlead/grpc/geyser'
import { createHttp2Transport, Status, type StatusCode } from '@fairlead/grpc-transport'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kindOf, serveSolana, UpdateStream, type ServedSolana } from '../../../../../test/solana-api.ts'
import { address, key, type RequestParts } from '../../../../../test/solana-updates.ts'

const allUpdates: RequestParts = {
  accounts: { a: {} },
  transactions: { t: {} },
  transactionsStatus: { ts: {} },
  entry: { e: {} },
  blocks: { b: {} },
  blocksMeta: { m: {} },
  slots: { s: {} },
}

describe('a stream of the level PROCESSED', () => {
  it('receives a slot while it is produced, in the order of the streams', async () => {
    const { chain, transport } = await serveSolana()
    const stream = await UpdateStream.open(transport, allUpdates)
    await chain.airdrop(key('alice'), 2_000_000n)
    const { slot } = chain.pendingSlot
    chain.makeSlot()
    const updates = await untilStatus(stream, slot, SlotStatus.SLOT_PROCESSED)
    const kinds = updates.filter((update) => slotOf(update) === slot).map(kindOf)
    // The accounts of the transaction; at the end the reward of the leader, and the last entry.
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      'account',
      'transaction',
      'transactionStatus',
      'entry',
      'account',
      'block',
      'blockMeta',
      'slot',
    ])
  })

  it('receives every write of an account, also those without a transaction', async () => {
    const { chain, transport } = await serveSolana()
    const stream = await UpdateStream.open(transport, {
      accounts: { alice: { account: [address('alice')] } },
      slots: { s: {} },
    })
    await chain.airdrop(key('alice'), 2_000_000n)
    await chain.airdrop(key('alice'), 3_000_000n)
    const { slot } = chain.pendingSlot
    chain.makeSlot()
    const updates = await untilStatus(stream, slot, SlotStatus.SLOT_PROCESSED)
    expect(lamportsOf(updates)).toEqual([2_000_000n, 5_000_000n])
    await stream.use({ accounts: { own: { nonemptyTxnSignature: false } } })
    chain.makeSlot()
    expect(kindOf((await stream.take(1))[0] as SubscribeUpdate)).toBe('account')
  })
})

describe('a stream of a higher level', () => {
  it.each([
    ['CONFIRMED', 1, SlotStatus.SLOT_CONFIRMED],
    ['FINALIZED', 2, SlotStatus.SLOT_FINALIZED],
  ] as const)(
    'receives a complete slot once it is %s, with one write of each account',
    async (_name, commitment, status) => {
      const { chain, transport } = await serveSolana({ finalityBlocks: 4 })
      const stream = await UpdateStream.open(transport, {
        ...allUpdates,
        accounts: { alice: { account: [address('alice')] } },
        commitment,
      })
      const { slot } = chain.pendingSlot
      await chain.airdrop(key('alice'), 2_000_000n)
      await chain.airdrop(key('alice'), 3_000_000n)
      for (let made = 0; made < 8; made++) chain.makeSlot()
      const updates = await untilStatus(stream, slot, status)
      const ofSlot = updates.filter((update) => slotOf(update) === slot && kindOf(update) !== 'slot')
      expect(lamportsOf(ofSlot)).toEqual([5_000_000n])
      expect(kindsInTurn(ofSlot)).toEqual([
        'account',
        'transaction',
        'transactionStatus',
        'entry',
        'block',
        'blockMeta',
      ])
      // It arrived at once, directly before the status.
      expect(updates.slice(-ofSlot.length - 1, -1)).toEqual(ofSlot)
      expect(
        updates
          .filter((update) => slotOf(update) === slot)
          .map(statusOf)
          .filter((item) => item !== undefined),
      ).toEqual(
        [SlotStatus.SLOT_PROCESSED, SlotStatus.SLOT_CONFIRMED, SlotStatus.SLOT_FINALIZED].slice(
          0,
          commitment + 1,
        ),
      )
    },
  )
})

describe('a request', () => {
  it('may be empty at first, and replaces the one before', async () => {
    const { chain, transport } = await serveSolana()
    const stream = await UpdateStream.open(transport, {})
    chain.makeSlot()
    expect(await stream.readAvailable()).toEqual([])
    await stream.use({ slots: { mine: { filterByCommitment: true } } })
    chain.makeSlot()
    expect((await stream.take(1)).map(({ filters }) => filters)).toEqual([['mine']])
    await stream.use({ blocksMeta: { other: {} } })
    chain.makeSlot()
    expect((await stream.take(1)).map(({ filters }) => filters)).toEqual([['other']])
  })

  it('with a ping receives a pong and does not change the filter', async () => {
    const { chain, transport } = await serveSolana()
    const stream = await UpdateStream.open(transport, { blocksMeta: { mine: {} } })
    await stream.send({ ping: { id: 77 }, slots: { ignored: {} } })
    const [pong] = await stream.take(1)
    expect(pong).toMatchObject({ filters: [], updateOneof: { $case: 'pong', value: { id: 77 } } })
    chain.makeSlot()
    expect((await stream.take(1)).map(({ filters }) => filters)).toEqual([['mine']])
  })

  it('remains in effect after the client has half-closed the stream', async () => {
    const { chain, transport } = await serveSolana()
    const stream = await UpdateStream.open(transport, { blocksMeta: { mine: {} } })
    stream.call.end()
    for (let made = 0; made < 3; made++) {
      chain.makeSlot()
      expect((await stream.take(1)).map(kindOf)).toEqual(['blockMeta'])
    }
  })

  it.each<[string, RequestParts, StatusCode, RegExp]>([
    [
      'an invalid filter',
      { accounts: { a: { account: ['x'] } } },
      Status.INVALID_ARGUMENT,
      /^failed to create filter: accounts\.a\.account\[0\] must be/,
    ],
    [
      'a slot that is no longer stored',
      { fromSlot: 0n },
      Status.OUT_OF_RANGE,
      /^broadcast from 0 is not available, last available: \d+$/,
    ],
  ])('ends the stream for %s', async (_what, request, code, detail) => {
    const { chain, transport } = await serveSolana({ storedSlots: 10, finalityBlocks: 2 })
    for (let made = 0; made < 20; made++) chain.makeSlot()
    const stream = new UpdateStream(transport)
    await stream.send(request)
    const failure = await stream.failure()
    expect(failure.code).toBe(code)
    expect(failure.detail).toMatch(detail)
  })
})

it('pings every stream, one with an empty filter too', async () => {
  const { transport } = await serveSolana({}, { subscriptions: { pingMs: 20 } })
  const stream = new UpdateStream(transport)
  await stream.send({})
  expect((await stream.take(3)).map(kindOf)).toEqual(['ping', 'ping', 'ping'])
})

it('sends the same bytes to streams whose filters have the same names', async () => {
  const { chain, transport } = await serveSolana()
  const streams = await Promise.all(
    [1, 2, 3].map(() => UpdateStream.open(transport, { blocks: { b: { includeAccounts: true } } })),
  )
  chain.makeSlot()
  const updates = await Promise.all(streams.map((stream) => stream.take(1)))
  expect(updates[1]).toEqual(updates[0])
  expect(updates[2]).toEqual(updates[0])
})

it('closes streams that do not read, without delaying others', async () => {
  const limits = { maxMessages: 250_000, maxBytes: 1024 * 1024 }
  const served = await serveSolana({}, { subscriptions: { limits } })
  const stalled: UpdateStream[] = []
  // All on one connection, whose flow-control window a single stream could exhaust.
  const windows = { streamWindowBytes: 65_535, connectionWindowBytes: 65_535 }
  const transport = createHttp2Transport(served.url, windows)
  onTestFinished(() => transport.close())
  for (let count = 0; count < 20; count++) stalled.push(await UpdateStream.open(transport, allUpdates))
  const reader = await UpdateStream.open(transport, { transactions: { t: {} } })
  const sent = await makeTraffic(served, 300)
  const received = await reader.take(sent)
  expect(received.map(kindOf)).toEqual(Array.from({ length: sent }, () => 'transaction'))
  const failures = await Promise.all(stalled.map((stream) => stream.failure()))
  // A stream that remains blocked is reset, which discards the error text.
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set([Status.INTERNAL]))
  expect(served.faults).toEqual([])
}, 60_000)

async function makeTraffic({ chain }: ServedSolana, slots: number): Promise<number> {
  for (let made = 0; made < slots; made++) {
    for (let sent = 0; sent < 4; sent++) await chain.airdrop(key(`account ${sent}`), 2_000_000n)
    chain.makeSlot()
    // Runs the readers.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return slots * 4
}

async function untilStatus(
  stream: UpdateStream,
  slot: bigint,
  status: SlotStatus,
): Promise<SubscribeUpdate[]> {
  const updates: SubscribeUpdate[] = []
  for (;;) {
    const [update] = await stream.take(1)
    if (update === undefined) throw new Error('the stream ended')
    updates.push(update)
    if (slotOf(update) === slot && statusOf(update) === status) return updates
  }
}

function slotOf({ updateOneof }: SubscribeUpdate): bigint | undefined {
  return updateOneof !== undefined && 'slot' in updateOneof.value ? updateOneof.value.slot : undefined
}

function statusOf({ updateOneof }: SubscribeUpdate): SlotStatus | undefined {
  return updateOneof?.$case === 'slot' ? updateOneof.value.status : undefined
}

function lamportsOf(updates: readonly SubscribeUpdate[]): (bigint | undefined)[] {
  return updates
    .map(({ updateOneof }) => updateOneof)
    .filter((update) => update?.$case === 'account')
    .map(({ value }) => value.account?.lamports)
}

// Each transaction is followed by its status.
function kindsInTurn(updates: readonly SubscribeUpdate[]): (string | undefined)[] {
  return [...new Set(updates.map(kindOf))]
}
