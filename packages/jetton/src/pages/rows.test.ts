import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { allOf } from '../testing/all-of.ts'
import { type Answering, type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import {
  createJettonV3Client,
  FairleadError,
  type JettonMaster,
  type JettonV3Client,
  rows,
  type Transaction,
} from '../v3.ts'

const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(answer: Answering): Promise<{ jetton: JettonV3Client; asked: () => string[] }> {
  const server = await startHttpServer(answer)
  servers.push(server)
  const auth = { kind: 'token', token: 't0k3n' } as const
  return {
    jetton: createJettonV3Client({ url: server.url, auth, retries: 0 }),
    asked: () => server.requests.map(({ url }) => decodeURIComponent(url.replace('/t0k3n/api/v3/', ''))),
  }
}

/** Responds with one page after the other. */
const pages =
  (list: string, ...all: readonly object[][]): Answering =>
  (_, response, count) =>
    sendJson(response, { [list]: all[count - 1] ?? [], address_book: {}, metadata: {} })

describe('the rows of a list', () => {
  const page = [
    { hash: 'a', lt: '9', now: 50 },
    { hash: 'b', lt: '7', now: 40 },
    { hash: 'c', lt: '7', now: 40 },
  ]
  const rest = [
    page[1],
    page[2],
    { hash: 'd', lt: '3', now: 30 },
    { hash: 'e', lt: '2', now: 20 },
  ] as object[]

  it.each([
    [{}, 'sort=desc', 'end_lt=7'],
    [{ sort: 'asc' }, 'sort=asc', 'start_lt=7'],
    [{ start_utime: 5 }, 'start_utime=5&sort=desc', 'end_utime=40'],
    [{ end_utime: 60, sort: 'asc' }, 'end_utime=60&sort=asc', 'start_utime=40'],
  ] as const)('are asked for from where the last page ended: %j', async (options, order, window) => {
    const { jetton, asked } = await served(pages('transactions', page, rest.slice(0, 3), rest.slice(3)))
    const found = await allOf(rows(jetton, '/api/v3/transactions', { ...options, pageSize: 3 }))
    expect(found.map(({ hash }) => hash)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expectTypeOf(found).toEqualTypeOf<Transaction[]>()
    expect(asked().slice(0, 2)).toEqual([
      `transactions?${order}&limit=3&offset=0`,
      `transactions?${order}&limit=3&offset=0&${window}`,
    ])
  })

  it('are asked for by their time where the logical time does not order them', async () => {
    const blocks = [{ root_hash: 'a', gen_utime: '12', start_lt: '9' }]
    const { jetton, asked } = await served(pages('blocks', blocks))
    await allOf(rows(jetton, '/api/v3/blocks', { workchain: 0, pageSize: 1 }))
    expect(asked()).toEqual([
      'blocks?workchain=0&sort=desc&limit=1&offset=0',
      'blocks?workchain=0&sort=desc&limit=1&offset=0&end_utime=12',
    ])
  })

  it('are asked for by offset where there is no order', async () => {
    const masters = [{ address: 'a' }, { address: 'b' }]
    const { jetton, asked } = await served(pages('jetton_masters', masters, [{ address: 'b' }]))
    const found = await allOf(rows(jetton, '/api/v3/jetton/masters', { pageSize: 2 }))
    expect(found).toEqual(masters)
    expectTypeOf(found).toEqualTypeOf<JettonMaster[]>()
    expect(asked()).toEqual(['jetton/masters?limit=2&offset=0', 'jetton/masters?limit=2&offset=2'])
  })

  it('are asked for by offset where a parameter makes the indexer pass over the bounds', async () => {
    const actions = [{ action_id: 'a', trace_end_lt: '5' }]
    const { jetton, asked } = await served(pages('actions', actions))
    await allOf(rows(jetton, '/api/v3/actions', { trace_id: ['t'], pageSize: 1 }))
    expect(asked()[1]).toBe('actions?trace_id=t&limit=1&offset=1')
  })

  it.each(['asc', 'desc'] as const)(
    'of messages hold those from outside, which have no time, after all others: %s',
    async (sort) => {
      const { jetton, asked } = await served((request, response) => {
        const isOutside = request.url.includes('only_externals')
        sendJson(response, { messages: [{ hash: isOutside ? 'outside' : 'inside', created_lt: null }] })
      })
      const found = await allOf(rows(jetton, '/api/v3/messages', { sort, exclude_externals: false }))
      const order = sort === 'asc' ? ['inside', 'outside'] : ['outside', 'inside']
      expect(found.map(({ hash }) => hash)).toEqual(order)
      await allOf(rows(jetton, '/api/v3/messages', { sort, start_lt: '5' }))
      expect(asked().slice(2)).toEqual([`messages?sort=${sort}&start_lt=5&limit=100&offset=0`])
    },
  )

  it('are read no further than their reader goes', async () => {
    const { jetton, asked } = await served(pages('transactions', page, page))
    for await (const { hash } of rows(jetton, '/api/v3/transactions', { pageSize: 3 })) {
      if (hash === 'b') break
    }
    expect(asked()).toHaveLength(1)
  })

  it('end with the reason of the signal, in the middle of a page and of a request', async () => {
    const { jetton } = await served((_, response, count) => {
      if (count === 1) sendJson(response, { transactions: page })
    })
    const reason = new Error('enough')
    for (const stopAt of ['a', 'c']) {
      const left = new AbortController()
      const seen: string[] = []
      const reading = (async () => {
        const { signal } = left
        for await (const { hash } of rows(jetton, '/api/v3/transactions', { pageSize: 3, signal })) {
          seen.push(hash)
          if (hash === stopAt && hash === 'a') left.abort(reason)
        }
      })()
      if (stopAt === 'c') left.abort(reason)
      await expect(reading).rejects.toBe(reason)
      expect(seen).toEqual(stopAt === 'a' ? ['a'] : [])
    }
  })

  it('end with the failure of a page', async () => {
    const { jetton } = await served((_, response, count) => {
      if (count === 1) sendJson(response, { transactions: page })
      else sendJson(response, { error: 'bad address' }, 422)
    })
    const failure: unknown = await allOf(rows(jetton, '/api/v3/transactions', { pageSize: 3 })).catch(
      (error: unknown) => error,
    )
    expect(FairleadError.is(failure, 'HTTP_STATUS') && failure.context).toMatchObject({
      status: 422,
      detail: 'bad address',
    })
  })

  it('are typed by path, in what may be asked too', () => {
    const calls = (jetton: JettonV3Client) => [
      // @ts-expect-error the function controls the pages
      rows(jetton, '/api/v3/transactions', { limit: 5 }),
      // @ts-expect-error the number of the block is required
      rows(jetton, '/api/v3/transactionsByMasterchainBlock', {}),
      // @ts-expect-error not a list
      rows(jetton, '/api/v3/masterchainInfo', {}),
    ]
    expectTypeOf(calls).toBeFunction()
  })
})
