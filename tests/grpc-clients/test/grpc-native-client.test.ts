import { createGrpcClient } from '@fairlead/grpc'
import { GeyserDefinition, SubscribeUpdate as OwnUpdate } from '@fairlead/grpc/geyser'
import {
  createCuckooFilter,
  decodeBase58,
  decodeTransactionError,
  encodeBase58,
  encodeTransaction,
  tokenBalanceChanges,
} from '@fairlead/grpc/solana'
import type { SubscribeRequest as Request, SubscribeUpdate as Update } from '@triton-one/yellowstone-grpc'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import {
  CommitmentLevel,
  CompressedAccountFilterSet,
  NativeClient,
  type NativeStream,
  SlotStatus,
  SubscribeRequest,
  SubscribeUpdate,
  txEncode,
  txErrDecode,
} from './grpc/native-client.ts'
import { testRelay } from './grpc/test-relay.ts'
import { asJson } from './grpc/solana-error.ts'

// The third-party native client, through the gateway to the embedded chain.
const {
  nodes: [, , , node],
} = inject('development')
const { example } = node

// Its automatic reconnection would hide how a stream ends.
const clientOf = (token: string, url = node.grpc_url) => new NativeClient(url, token, {}, { enabled: false })
const client = clientOf(node.x_token)
const auth = { kind: 'x-token', token: node.x_token } as const
const separateClient = createGrpcClient(GeyserDefinition, { url: node.grpc_url, auth })
beforeAll(() => client.connect())
afterAll(() => separateClient.close())

/**
 * Opens a stream on a separate connection, which is cut at the end of the test. Whatever the test calls, the client
 * ends a stream only when it garbage-collects it. Until then, the call stays open and holds the flow-control window of
 * its connection.
 */
async function open(request: Request): Promise<NativeStream> {
  const streaming = clientOf(node.x_token, await testRelay(node.grpc_url))
  await streaming.connect()
  const stream = await streaming.subscribe(request)
  onTestFinished(() => void stream.destroy())
  return stream
}

/** Reads a stream until a condition holds. */
async function readUntil(
  stream: NativeStream,
  isEnough: (updates: readonly Update[]) => boolean,
): Promise<Update[]> {
  const updates: Update[] = []
  for await (const update of stream.iterator({ destroyOnReturn: false })) {
    updates.push(update as Update)
    if (isEnough(updates)) return updates
  }
  throw new Error(`the stream ended after ${updates.length} updates`)
}

const read = async (request: Request, isEnough: (updates: readonly Update[]) => boolean) =>
  readUntil(await open(request), isEnough)

/** Returns the full text of an error and its causes. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => new Error('the call was meant to fail'),
    (reason: unknown) => reason,
  )
  const texts: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message)
  return texts.join('; ')
}

describe('unary calls', () => {
  it('return the version and the position of the chain', async () => {
    const { version } = await client.getVersion()
    expect(JSON.parse(version)).toMatchObject({ version: { proto: expect.any(String) as string } })
    expect(await client.ping(7)).toEqual({ count: (await separateClient.ping({ count: 7 })).count })
    const slots = []
    for (const level of [CommitmentLevel.FINALIZED, CommitmentLevel.CONFIRMED, CommitmentLevel.PROCESSED]) {
      slots.push(Number((await client.getSlot(level)).slot))
      expect(Number((await client.getBlockHeight(level)).blockHeight)).toBeGreaterThan(0)
    }
    expect(slots).toEqual(slots.toSorted((a, b) => a - b))
    expect(slots[0]).toBeLessThan(slots[2] ?? 0)
    const { firstAvailable } = await client.subscribeReplayInfo()
    expect(Number(firstAvailable)).toBeLessThan(slots[0] ?? 0)
  })

  it('return whether a blockhash is valid', async () => {
    const { blockhash, lastValidBlockHeight } = await client.getLatestBlockhash(CommitmentLevel.CONFIRMED)
    expect(await client.isBlockhashValid(blockhash)).toMatchObject({ valid: true })
    expect(await client.isBlockhashValid(encodeBase58(new Uint8Array(32)))).toMatchObject({ valid: false })
    expect(BigInt(lastValidBlockHeight)).toBeGreaterThan(
      BigInt((await client.getBlockHeight(CommitmentLevel.PROCESSED)).blockHeight),
    )
    const ours = await separateClient.isBlockhashValid({ blockhash })
    expect(ours.valid).toBe(true)
  })
})

describe('streams', () => {
  it('deliver every kind of update, and a block contains its separate updates', async () => {
    const all = { all: {} }
    const updates = await read(
      SubscribeRequest.fromPartial({
        slots: { all: { interslotUpdates: true } },
        accounts: all,
        transactions: all,
        transactionsStatus: all,
        blocks: { all: { includeTransactions: true, includeAccounts: true, includeEntries: true } },
        blocksMeta: all,
        entry: all,
        commitment: CommitmentLevel.CONFIRMED,
      }),
      (collected) => collected.filter(({ blockMeta }) => blockMeta).length === 3,
    )
    for (const { block } of updates) {
      if (!block) continue
      const updatesOf = <item extends { slot: string }>(kind: (update: Update) => item | undefined): item[] =>
        updates.map(kind).filter((entry) => entry?.slot === block.slot) as item[]
      const signatures = block.transactions.map(({ signature }) => encodeBase58(signature))
      expect(signatures.length).toBe(Number(block.executedTransactionCount))
      const single = updatesOf(({ transaction }) => transaction)
      expect(
        single.map(({ transaction }) => encodeBase58(transaction?.signature ?? new Uint8Array())),
      ).toEqual(signatures)
      const statuses = updatesOf(({ transactionStatus }) => transactionStatus)
      expect(statuses.map(({ signature }) => encodeBase58(signature))).toEqual(signatures)
      expect(statuses.map(({ err }) => err)).toEqual(block.transactions.map(({ meta }) => meta?.err))
      expect(updatesOf(({ entry }) => entry)).toEqual(block.entries)
      expect(block.entries.length).toBe(Number(block.entriesCount))
      const key = ({ pubkey, writeVersion }: { pubkey: Uint8Array; writeVersion: string }) =>
        `${encodeBase58(pubkey)} ${writeVersion}`
      const accounts = updatesOf(({ account }) => account).flatMap(({ account }) =>
        account ? [key(account)] : [],
      )
      expect(accounts.toSorted()).toEqual(block.accounts.map(key).toSorted())
      const [meta] = updatesOf(({ blockMeta }) => blockMeta)
      const { blockhash, parentBlockhash, parentSlot, blockHeight } = block
      expect(meta).toMatchObject({ blockhash, parentBlockhash, parentSlot, blockHeight })
    }
    const kinds = new Set(
      updates.flatMap((update) => Object.entries(update).flatMap(([kind, value]) => (value ? [kind] : []))),
    )
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'account',
        'slot',
        'transaction',
        'transactionStatus',
        'block',
        'blockMeta',
        'entry',
      ]),
    )
    const statuses = new Set(updates.flatMap(({ slot }) => (slot ? [slot.status] : [])))
    expect([...statuses]).toEqual(
      expect.arrayContaining([
        SlotStatus.SLOT_PROCESSED,
        SlotStatus.SLOT_CONFIRMED,
        SlotStatus.SLOT_FINALIZED,
        SlotStatus.SLOT_COMPLETED,
      ]),
    )
  })

  it('respond to a ping, and replace the filter on request', async () => {
    const stream = await open(SubscribeRequest.fromPartial({ slots: { first: {} } }))
    const before = await readUntil(stream, (updates) => updates.length === 2)
    expect(before.flatMap(({ filters }) => filters)).toEqual(['first', 'first'])
    stream.write(SubscribeRequest.fromPartial({ ping: { id: 41 } }))
    const ponged = await readUntil(stream, (updates) => updates.at(-1)?.pong !== undefined)
    expect(ponged.at(-1)?.pong).toEqual({ id: 41 })
    // The ping changed no filter.
    await readUntil(stream, (updates) => updates.at(-1)?.slot !== undefined)
    stream.write(SubscribeRequest.fromPartial({ blocksMeta: { second: {} } }))
    await readUntil(stream, (updates) => updates.at(-1)?.blockMeta !== undefined)
    const after = await readUntil(stream, (updates) => updates.length === 3)
    expect(after.map(({ filters }) => filters)).toEqual([['second'], ['second'], ['second']])
  })

  it('deliver the accounts that a filter names', async () => {
    const tokens = { memcmp: { offset: '0', base58: example.mint } }
    const set = new CompressedAccountFilterSet(10)
    set.insert(example.recipient)
    // The native filter and ours consist of the same bytes.
    const ours = createCuckooFilter([decodeBase58(example.recipient)], { capacity: 10 })
    expect(Buffer.from(set.toProto().data).equals(ours.data)).toBe(true)
    const updates = await read(
      SubscribeRequest.fromPartial({
        accounts: {
          mint: { filters: [tokens, { tokenAccountState: true }] },
          packed: set.toAccountFilter(),
          payer: { account: [example.payer], filters: [{ lamports: { gt: '1' } }] },
          none: { account: [example.payer], filters: [{ datasize: '1' }] },
        },
        accountsDataSlice: [{ offset: '32', length: '32' }],
      }),
      (collected) => new Set(collected.flatMap(({ filters }) => filters)).size === 3,
    )
    const holders = new Map<string, string>()
    for (const { account, filters } of updates) {
      const { pubkey = new Uint8Array(), data = new Uint8Array() } = account?.account ?? {}
      const key = encodeBase58(pubkey)
      if (filters.includes('mint')) holders.set(key, encodeBase58(data))
      if (filters.includes('payer')) expect(key).toBe(example.payer)
      if (filters.includes('packed')) expect(key).toBe(example.recipient)
    }
    const known = [
      [example.token_account, example.payer],
      [example.recipient_token_account, example.recipient],
    ]
    for (const [account, holder] of holders) expect(known).toContainEqual([account, holder])
    expect(holders.size).toBeGreaterThan(0)
  })

  it.each([
    ['gzip', { grpcDefaultCompressionAlgorithm: 0 }],
    ['zstd', { grpcDefaultCompressionAlgorithm: 1 }],
    ['small windows', { grpcInitialStreamWindowSize: 65_535, grpcInitialConnectionWindowSize: 65_535 }],
  ])('reach a client with other settings, too: %s', async (_, options) => {
    // With the default options of this client: it reconnects, and adds a slot subscription to track its position.
    const secondClient = new NativeClient(await testRelay(node.grpc_url), node.x_token, options, {})
    await secondClient.connect()
    expect(Number((await secondClient.getSlot()).slot)).toBeGreaterThan(0)
    const request = SubscribeRequest.fromPartial({ blocksMeta: { all: {} } })
    const stream = await secondClient.subscribe(request)
    onTestFinished(() => void stream.destroy())
    const metas = await readUntil(
      stream,
      (updates) => updates.filter(({ blockMeta }) => blockMeta).length > 3,
    )
    expect(metas.at(-1)?.filters).toEqual(['all'])
  })

  it('start at an earlier slot, and report the first available one', async () => {
    const fromSlot = `${Number((await client.getSlot(CommitmentLevel.CONFIRMED)).slot) - 20}`
    const blocksMeta = { all: {} }
    const updates = await read(
      SubscribeRequest.fromPartial({ blocksMeta, fromSlot, commitment: CommitmentLevel.CONFIRMED }),
      (collected) => collected.length >= 25,
    )
    const metas = updates.flatMap(({ blockMeta }) => (blockMeta ? [blockMeta] : []))
    expect(metas[0]?.slot).toBe(fromSlot)
    for (const [index, { parentBlockhash }] of metas.entries()) {
      if (index > 0) expect(parentBlockhash).toBe(metas[index - 1]?.blockhash)
    }
    // A young chain still has its first slot.
    const isOld = async () => Number((await client.subscribeReplayInfo()).firstAvailable) > 1
    await vi.waitUntil(isOld, { timeout: 100_000, interval: 500 })
    const unavailable = SubscribeRequest.fromPartial({ blocksMeta, fromSlot: '1' })
    const failure = await failureOf(read(unavailable, () => false))
    expect(failure).toMatch(/broadcast from 1 is not available, last available: \d+/)
  })
})

describe('a received update', () => {
  it('decodes to the same in both clients', async () => {
    const updates = await read(SubscribeRequest.fromPartial({ transactions: { all: {} } }), (collected) => {
      const transactions = collected.flatMap(({ transaction }) => transaction?.transaction ?? [])
      return (
        transactions.length > 20 &&
        transactions.some(({ meta }) => meta?.err) &&
        transactions.some(isTransfer)
      )
    })
    let failed = 0
    let transferred = 0
    for (const update of updates) {
      const info = update.transaction?.transaction
      if (!info) continue
      const ours = OwnUpdate.decode(SubscribeUpdate.encode(update).finish()).updateOneof
      const transaction = ours?.$case === 'transaction' ? ours.value.transaction : undefined
      if (!transaction?.transaction) throw new Error('our message has a transaction as well')
      const decodedByClient = txEncode.encode(info, txEncode.encoding.Base64, 0, true)
      const wire = Buffer.from(encodeTransaction(transaction.transaction)).toString('base64')
      expect((decodedByClient as unknown as { readonly transaction: unknown }).transaction).toEqual([
        wire,
        'base64',
      ])
      const { meta } = decodedByClient as unknown as { readonly meta: Meta }
      const err = transaction.meta?.err
      expect(err ? asJson(decodeTransactionError(err.err)) : null).toEqual(meta.err)
      if (err) failed += 1
      const changes = tokenBalanceChanges(transaction)
      const amountOf = (list: Meta['preTokenBalances'], index: number) =>
        list.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount
      const expected = meta.postTokenBalances.flatMap(({ accountIndex, mint }) => {
        const [before, after] = [meta.preTokenBalances, meta.postTokenBalances].map((list) =>
          BigInt(amountOf(list, accountIndex) ?? 0),
        )
        const change = (after ?? 0n) - (before ?? 0n)
        return change === 0n ? [] : [{ mint, change }]
      })
      expect(changes.map(({ mint, change }) => ({ mint, change }))).toEqual(expected)
      transferred += expected.length
    }
    expect([failed > 0, transferred > 0]).toEqual([true, true])
  })

  it('decodes to the same for every error', () => {
    const errorAt = (index: number, ...rest: number[]) => Uint8Array.of(index, 0, 0, 0, ...rest)
    const custom = 25
    const bytes = [
      ...Array.from({ length: 39 }, (_, index) =>
        [8, 30, 31, 35].includes(index)
          ? errorAt(index, ...(index === 8 ? [3, 1, 0, 0, 0] : [5]))
          : errorAt(index),
      ),
      ...Array.from({ length: 54 }, (_, index) =>
        errorAt(8, 2, index, 0, 0, 0, ...(index === custom ? [0x70, 0x17, 0, 0] : [])),
      ),
    ]
    for (const error of bytes)
      expect(asJson(decodeTransactionError(error))).toEqual(txErrDecode.decode(error))
  })
})

describe('the native client receives', () => {
  it('an error for an unknown token', async () => {
    for (const token of ['wrong-c4n4ry', node.token]) {
      const unauthenticated = clientOf(token)
      await unauthenticated.connect()
      // Both calls are observed from the start, because a rejection without a handler would be unhandled.
      const calls = [unauthenticated.getSlot(), unauthenticated.subscribe(SubscribeRequest.fromPartial({}))]
      for (const failure of await Promise.all(calls.map((call) => failureOf(call)))) {
        // The message of its library for status 16.
        expect(failure).toContain('does not have valid authentication credentials')
        expect(failure).toContain('Unknown x-token.')
        expect(failure).not.toContain(token)
      }
    }
  })

  it('an error for an invalid filter and for missing methods', async () => {
    const failure = await failureOf(
      read(SubscribeRequest.fromPartial({ accounts: { all: { account: ['no key'] } } }), () => false),
    )
    expect(failure).toMatch(/Client specified an invalid argument.*failed to create filter/)
    expect(await failureOf(client.subscribeDeshred())).toContain('is not implemented')
  })
})

interface Meta {
  readonly err: unknown
  readonly preTokenBalances: readonly TokenBalance[]
  readonly postTokenBalances: readonly TokenBalance[]
}

interface TokenBalance {
  readonly accountIndex: number
  readonly mint: string
  readonly uiTokenAmount: { readonly amount: string }
}

type Info = NonNullable<NonNullable<Update['transaction']>['transaction']>

const isTransfer = ({ meta }: Info): boolean => (meta?.postTokenBalances.length ?? 0) > 1
