import { sameAddress } from '@fairlead/jetton/address'
import {
  blockTransactions,
  createJettonV2Client,
  type JettonV2Client,
  transactions,
} from '@fairlead/jetton/v2'
import {
  type BurnCursor,
  createJettonV3Client,
  type JettonBurn,
  jettonBurns,
  type JettonV3Client,
  type ListPath,
  rows,
  watchBurns,
} from '@fairlead/jetton/v3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type JettonChain, startJettonChain } from './jetton-gateway.ts'
import { type JettonWallet, openWallet, type SentBurn } from './jetton-wallet.ts'

// Half of the burns exist when the readers start. The others arrive while they read.
const half = 500
const sampleBurns = 3
const forgedAmount = 987_654_321n
const comments = [
  '',
  'Redeemed at the desk',
  'Ελληνικά, русский, עברית, العربية',
  '日本語の文章が、一つのセルに収まらないほど長く続いていく。'.repeat(4),
  '👩‍🚀🔥'.repeat(40),
  'A comment that is as long as a letter. '.repeat(15),
]
const sent: SentBurn[] = Array.from({ length: 2 * half }, (_, index) => {
  const comment = comments[index % comments.length] ?? ''
  return { amount: BigInt(index + 1), comment: comment && `${comment} ${index}` }
})

let chain: JettonChain
let wallet: JettonWallet
let v2: JettonV2Client
let v3: JettonV3Client
let master: string

async function burn(burns: readonly SentBurn[]): Promise<void> {
  for (let from = 0; from < burns.length; from += 4) await wallet.burn(burns.slice(from, from + 4))
}

/** Returns the response of the chain itself, bypassing the gateway and the client. */
async function fetchJson<response>(path: string): Promise<response> {
  const response = await fetch(chain.url + path)
  expect(response.status).toBe(200)
  return (await response.json()) as response
}

async function fetchRows(path: string, list: string): Promise<Record<string, unknown>[]> {
  const allItems: Record<string, unknown>[] = []
  for (;;) {
    const separator = path.includes('?') ? '&' : '?'
    const page = await fetchJson<Record<string, Record<string, unknown>[] | null>>(
      `${path}${separator}limit=1000&offset=${allItems.length}`,
    )
    allItems.push(...(page[list] ?? []))
    if ((page[list] ?? []).length < 1_000) return allItems
  }
}

/** Waits until the next block is in a later second than all blocks so far. */
async function secondIsOver(): Promise<void> {
  const [latest] = (await fetchJson<{ blocks: { gen_utime: string }[] }>('/api/v3/blocks?sort=desc&limit=1'))
    .blocks
  const second = Number(latest?.gen_utime)
  expect(second).toBeGreaterThan(0)
  await vi.waitFor(() => expect(Math.floor(Date.now() / 1_000)).toBeGreaterThan(second), {
    timeout: 10_000,
    interval: 20,
  })
}

async function allOf<item>(items: AsyncIterable<item>): Promise<item[]> {
  const allItems: item[] = []
  for await (const item of items) allItems.push(item)
  return allItems
}

beforeAll(async () => {
  chain = await startJettonChain()
  master = chain.example.jetton_master
  wallet = await openWallet(chain.url, chain.example)
  const [node] = await Promise.all([chain.serve(), burn(sent.slice(0, half))])
  v2 = createJettonV2Client(node)
  v3 = createJettonV3Client(node)
}, 300_000)

afterAll(() => chain.stop())

const hashOf = ({ transaction }: JettonBurn) => transaction.hash
const amountsOf = (burns: readonly JettonBurn[]) => burns.map(({ amount }) => BigInt(amount))

type AnyRow = Readonly<Record<string, unknown>>

/** Lists, with their key in a response and the field that identifies a row. */
const lists = [
  { path: '/api/v3/transactions', list: 'transactions', id: 'hash', pageSize: 70 },
  { path: '/api/v3/messages', list: 'messages', id: 'hash', pageSize: 60 },
  { path: '/api/v3/traces', list: 'traces', id: 'trace_id', pageSize: 9 },
  { path: '/api/v3/actions', list: 'actions', id: 'action_id', pageSize: 7 },
  { path: '/api/v3/blocks', list: 'blocks', id: 'root_hash', pageSize: 11 },
  { path: '/api/v3/jetton/transfers', list: 'jetton_transfers', id: 'transaction_hash', pageSize: 1 },
] as const

const readings = new Map<string, readonly AnyRow[]>()
let queries: Partial<Record<ListPath, Readonly<Record<string, string>>>>
let account: string[]
let burnsFromNow: JettonBurn[]
let resumed: JettonBurn[]

beforeAll(async () => {
  const coming = sent.slice(half)
  const following = Promise.all([watchFromNow(), watchWithPauses()])
  await wallet.forgeBurn(forgedAmount)
  /** Reads a list to the end. At the end of each of its first pages, new transactions occur on the chain. */
  const readGrowing = async <row>(list: AsyncIterable<row>, pageSize: number): Promise<row[]> => {
    const received: row[] = []
    for await (const row of list) {
      received.push(row)
      const page = received.length / pageSize
      if (Number.isInteger(page) && page <= 4) await burn(coming.splice(0, 4))
    }
    return received
  }
  // The longer lists are read from a given row on, by its logical time.
  const latest = await fetchRows(`/api/v3/jetton/burns?jetton_master=${master}`, 'jetton_burns')
  const start_lt = String(latest[80]?.['transaction_lt'])
  queries = {
    '/api/v3/transactions': { start_lt },
    '/api/v3/messages': { destination: chain.example.wallet },
    '/api/v3/traces': { start_lt },
    '/api/v3/actions': { start_lt },
    '/api/v3/blocks': { start_lt },
  }
  for (const { path, pageSize } of lists) {
    for (const sort of ['asc', 'desc'] as const) {
      // A block created in the same second as the first block read would belong to that second.
      if (path === '/api/v3/blocks') await secondIsOver()
      const list = rows(v3, path, { ...queries[path], sort, pageSize })
      readings.set(path + sort, await readGrowing<AnyRow>(list, pageSize))
    }
  }
  const history = transactions(v2, { address: chain.example.wallet, pageSize: 9 })
  account = (await readGrowing(history, 9)).map(({ transaction_id }) => transaction_id.hash)
  await burn(coming)
  ;[burnsFromNow, resumed] = await following
}, 300_000)

describe('a growing chain', () => {
  it.each(lists)('yields each row once: $path', async ({ path, list, id }) => {
    const allItems = await fetchRows(
      `${path}?${new URLSearchParams({ ...queries[path], sort: 'asc' })}`,
      list,
    )
    // External messages form a separate part of the list.
    const isOutside = (row: AnyRow) => path === '/api/v3/messages' && row['created_lt'] === null
    for (const predicate of [isOutside, (row: AnyRow) => !isOutside(row)]) {
      const idsOf = (subset: readonly AnyRow[] = []) => subset.filter(predicate).map((row) => row[id])
      expectInOne(idsOf(readings.get(`${path}asc`)), idsOf(allItems), 'asc')
      expectInOne(idsOf(readings.get(`${path}desc`)), idsOf(allItems).toReversed(), 'desc')
    }
  })

  it('yields each transaction of an account once', async () => {
    const path = `/api/v2/getTransactions?address=${chain.example.wallet}&limit=1000`
    const { result } = await fetchJson<{ result: { transaction_id: { hash: string } }[] }>(path)
    const allItems = result.map(({ transaction_id }) => transaction_id.hash)
    expect(account.length).toBeGreaterThan(half / 4)
    expectInOne(account, allItems, 'desc')
  })

  it('yields every burn once to a watcher from the current block', () => {
    const last = sent.slice(-burnsFromNow.length)
    expect(burnsFromNow.length).toBeGreaterThan(half / 2)
    expect(amountsOf(burnsFromNow)).toEqual(last.map(({ amount }) => amount))
  })

  it('yields every burn once to a watcher that stops and resumes', () => {
    expect(new Set(resumed.map(hashOf)).size).toBe(sent.length + sampleBurns)
    expect(amountsOf(resumed).slice(sampleBurns)).toEqual(sent.map(({ amount }) => amount))
  })
})

/** Expects that a list was read without a gap: from its start, or from a row to its end. */
function expectInOne(received: readonly unknown[], allItems: readonly unknown[], sort: 'asc' | 'desc'): void {
  const from = sort === 'asc' ? 0 : allItems.length - received.length
  expect(received.findIndex((id, index) => id !== allItems[from + index])).toBe(-1)
  expect(new Set(received).size).toBe(received.length)
}

/** Watches future burns only. */
async function watchFromNow(): Promise<JettonBurn[]> {
  const received: JettonBurn[] = []
  const left = new AbortController()
  for await (const { burn: item } of watchBurns(v3, {
    address: master,
    pollMs: 500,
    lateSeconds: 3,
    signal: left.signal,
  })) {
    received.push(item)
    if (item.amount === String(sent.length)) left.abort()
  }
  return received
}

/** Watches all burns, and pauses at points that are unrelated to pages or seconds. */
async function watchWithPauses(): Promise<JettonBurn[]> {
  const received: JettonBurn[] = []
  const total = sent.length + sampleBurns
  let from: BurnCursor | 'beginning' = 'beginning'
  for (let round = 1; received.length < total; round++) {
    const signal = AbortSignal.timeout(round % 3 === 0 ? 150 : 600_000)
    let left = (round * 37) % 101
    const options = { address: master, from, pollMs: 500, lateSeconds: 3, pageSize: 60, signal }
    for await (const { burn: item, cursor } of watchBurns(v3, options)) {
      received.push(item)
      from = JSON.parse(JSON.stringify(cursor)) as BurnCursor
      left -= 1
      if (left < 0 || received.length === total) break
    }
  }
  return received
}

describe('jettonBurns', () => {
  it.each([1, 4, 250, 10_000])('returns the sent burns, in pages of %i', async (pageSize) => {
    const upstream = await fetchRows(`/api/v3/jetton/burns?jetton_master=${master}&sort=asc`, 'jetton_burns')
    // Reading a few burns per page must not take longer than all other cases together.
    const first = pageSize < 10 ? 60 : sent.length
    const end_utime = Number(upstream[sampleBurns + first - 1]?.['transaction_now'])
    const expected = upstream.filter((row) => Number(row['transaction_now']) <= end_utime)
    for (const sort of ['asc', 'desc'] as const) {
      const burns = await allOf(jettonBurns(v3, { address: master, sort, end_utime, pageSize }))
      const oldestFirst = sort === 'asc' ? burns : burns.toReversed()
      expect(oldestFirst.map(hashOf)).toEqual(expected.map((row) => row['transaction_hash']))
      const testBurns = oldestFirst.slice(sampleBurns)
      expect(testBurns.map(({ amount, comment }) => ({ amount: BigInt(amount), comment }))).toEqual(
        sent.slice(0, testBurns.length),
      )
      const owner = wallet.address.toString()
      expect(testBurns.every(({ burner }) => sameAddress(burner.address, owner))).toBe(true)
      expect(testBurns.every(({ jetton }) => sameAddress(jetton.address, master))).toBe(true)
    }
  })

  it('returns no burn that another contract forges', async () => {
    const query = { source: chain.example.wallet, destination: master, opcode: '0x7bdd97de' }
    const [message] = await allOf(rows(v3, '/api/v3/messages', query))
    // The message was delivered.
    expect(message?.in_msg_tx_hash).toEqual(expect.any(String))
    expect(amountsOf(await allOf(jettonBurns(v3, { address: master })))).not.toContain(forgedAmount)
  })
})

it.each([1, 2, 5, 1_000])('yields each transaction of a block once, in pages of %i', async (pageSize) => {
  const latest = transactions(v2, { address: chain.example.jetton_wallet })
  const { value: last } = await latest.next()
  const query = { lt: String(last?.transaction_id.lt) }
  const { value: row } = await rows(v3, '/api/v3/transactions', query).next()
  if (!row) throw new Error('the index does not have the latest transaction')
  const { workchain, seqno } = row.block_ref
  const block = { workchain, shard: '-9223372036854775808', seqno }
  const expected = await fetchRows(
    `/api/v3/transactions?workchain=${workchain}&seqno=${seqno}`,
    'transactions',
  )
  expect(expected).toHaveLength(9)
  const received = await allOf(blockTransactions(v2, { ...block, pageSize }))
  expect(received.map(({ hash }) => hash).toSorted()).toEqual(
    expected.map(({ hash }) => String(hash)).toSorted(),
  )
})
