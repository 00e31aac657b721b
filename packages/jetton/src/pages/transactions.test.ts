import { afterEach, expect, expectTypeOf, it } from 'vitest'
import { allOf } from '../testing/all-of.ts'
import { type RequestHandler, type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import {
  blockTransactions,
  createJettonV2Client,
  type JettonV2Client,
  type ShortTxId,
  type Transaction,
  transactions,
} from '../v2.ts'

const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(handler: RequestHandler): Promise<{ jetton: JettonV2Client; server: HttpServer }> {
  const server = await startHttpServer(handler)
  servers.push(server)
  const auth = { kind: 'token', token: 't0k3n' } as const
  return { jetton: createJettonV2Client({ url: server.url, auth, retries: 0 }), server }
}

const queryOf = ({ url }: { readonly url: string }) => new URL(url, 'http://node').searchParams
const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'

/** The transactions of an account that gets another one with every request, paged like on a node. */
function growingAccount(count: number): RequestHandler {
  const oldestFirst = Array.from({ length: count }, (_, index) => idAt(index + 1))
  return (request, response) => {
    const query = queryOf(request)
    const { lt, hash, limit, to_lt = '0' } = Object.fromEntries(query)
    const first = oldestFirst.findLast((id) => (lt === undefined ? true : id.lt === lt && id.hash === hash))
    const page = oldestFirst
      .toReversed()
      .filter((id) => Number(id.lt) <= Number(first?.lt) && Number(id.lt) > Number(to_lt))
      .slice(0, Number(limit))
    oldestFirst.push(idAt(oldestFirst.length + 1))
    sendJson(response, { ok: true, result: page.map((transaction_id) => ({ transaction_id })) })
  }
}

const idAt = (number: number) => ({
  '@type': 'internal.transactionId',
  lt: String(number * 10),
  hash: `hash+${number}`,
})

it.each([1, 2, 3, 9, 10, 11])(
  'all transactions of an account are yielded newest first, in pages of %i',
  async (pageSize) => {
    const { jetton } = await served(growingAccount(10))
    const all = await allOf(transactions(jetton, { address, pageSize }))
    expectTypeOf(all).toEqualTypeOf<Transaction[]>()
    expect(all.map(({ transaction_id: { lt } }) => Number(lt))).toEqual([
      100, 90, 80, 70, 60, 50, 40, 30, 20, 10,
    ])
  },
)

it('transactions are yielded from an inclusive start to an exclusive end', async () => {
  const { jetton, server } = await served(growingAccount(10))
  const all = await allOf(transactions(jetton, { address, from: idAt(8), to: '30', pageSize: 2 }))
  expect(all.map(({ transaction_id: { lt } }) => lt)).toEqual(['80', '70', '60', '50', '40'])
  expect(Object.fromEntries(queryOf(server.requests[1] ?? { url: '' }))).toEqual({
    address,
    limit: '3',
    lt: '70',
    hash: 'hash+7',
    to_lt: '30',
  })
})

it('an account without transactions has none', async () => {
  const { jetton, server } = await served(growingAccount(0))
  expect(await allOf(transactions(jetton, { address }))).toEqual([])
  expect(server.requests).toHaveLength(1)
})

it('transactions end with the reason of the signal', async () => {
  const { jetton } = await served(growingAccount(10))
  const controller = new AbortController()
  const received: string[] = []
  const reading = (async () => {
    for await (const { transaction_id } of transactions(jetton, { address, signal: controller.signal })) {
      if (received.push(transaction_id.lt) === 2) controller.abort(new Error('enough'))
    }
  })()
  await expect(reading).rejects.toThrow('enough')
  expect(received).toEqual(['100', '90'])
})

const raw = '0:7B34CFF14F5FCD3546F0A4CC71AFBB4797A9CFA52423BCC3791637BF9F0D7EBD'
const base64 = 'ezTP8U9fzTVG8KTMca+7R5epz6UkI7zDeRY3v58Nfr0='

it.each([
  ['raw', raw, raw.slice(2)],
  ['friendly', address, base64],
])('the transactions of a block are paged by the account of the last one: %s', async (_, account, id) => {
  const rows = ['1', '2', '3'].map((lt) => ({ account, lt, hash: `hash ${lt}` }))
  const { jetton, server } = await served((_request, response, count) => {
    const page = count === 1 ? rows.slice(0, 2) : rows.slice(2)
    sendJson(response, { ok: true, result: { incomplete: count === 1, transactions: page } })
  })
  const block = { '@type': 'ton.blockIdExt', workchain: 0, shard: '-9223372036854775808', seqno: 7 }
  const all = await allOf(blockTransactions(jetton, { ...block, pageSize: 2 }))
  expectTypeOf(all).toEqualTypeOf<ShortTxId[]>()
  expect(all).toEqual(rows)
  const { '@type': _type, ...position } = block
  expect(server.requests.map((request) => Object.fromEntries(queryOf(request)))).toEqual([
    { workchain: '0', shard: position.shard, seqno: '7', count: '2' },
    { workchain: '0', shard: position.shard, seqno: '7', count: '2', after_lt: '2', after_hash: id },
  ])
})
