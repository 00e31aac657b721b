import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { allOf } from '../testing/all-of.ts'
import { type RequestHandler, type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
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

async function served(
  handler: RequestHandler,
): Promise<{ jetton: JettonV3Client; requestedUrls: () => string[] }> {
  const server = await startHttpServer(handler)
  servers.push(server)
  const auth = { kind: 'token', token: 't0k3n' } as const
  return {
    jetton: createJettonV3Client({ url: server.url, auth, retries: 0 }),
    requestedUrls: () =>
      server.requests.map(({ url }) => decodeURIComponent(url.replace('/t0k3n/api/v3/', ''))),
  }
}

/** Responds with one page after the other. */
const pages =
  (list: string, ...all: readonly object[][]): RequestHandler =>
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
  ] as const)('are requested from the end of the last page: %j', async (options, order, window) => {
    const { jetton, requestedUrls } = await served(
      pages('transactions', page, rest.slice(0, 3), rest.slice(3)),
    )
    const found = await allOf(rows(jetton, '/api/v3/transactions', { ...options, pageSize: 3 }))
    expect(found.map(({ hash }) => hash)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expectTypeOf(found).toEqualTypeOf<Transaction[]>()
    expect(requestedUrls().slice(0, 2)).toEqual([
      `transactions?${order}&limit=3&offset=0`,
      `transactions?${order}&limit=3&offset=0&${window}`,
    ])
  })

  it('are requested by time if they are not ordered by logical time', async () => {
    const blocks = [{ root_hash: 'a', gen_utime: '12', start_lt: '9' }]
    const { jetton, requestedUrls } = await served(pages('blocks', blocks))
    await allOf(rows(jetton, '/api/v3/blocks', { workchain: 0, pageSize: 1 }))
    expect(requestedUrls()).toEqual([
      'blocks?workchain=0&sort=desc&limit=1&offset=0',
      'blocks?workchain=0&sort=desc&limit=1&offset=0&end_utime=12',
    ])
  })

  it('are requested by offset if there is no order', async () => {
    const masters = [{ address: 'a' }, { address: 'b' }]
    const { jetton, requestedUrls } = await served(pages('jetton_masters', masters, [{ address: 'b' }]))
    const found = await allOf(rows(jetton, '/api/v3/jetton/masters', { pageSize: 2 }))
    expect(found).toEqual(masters)
    expectTypeOf(found).toEqualTypeOf<JettonMaster[]>()
    expect(requestedUrls()).toEqual(['jetton/masters?limit=2&offset=0', 'jetton/masters?limit=2&offset=2'])
  })

  it('are requested by offset if a parameter makes the indexer ignore the bounds', async () => {
    const actions = [{ action_id: 'a', trace_end_lt: '5' }]
    const { jetton, requestedUrls } = await served(pages('actions', actions))
    await allOf(rows(jetton, '/api/v3/actions', { trace_id: ['t'], pageSize: 1 }))
    expect(requestedUrls()[1]).toBe('actions?trace_id=t&limit=1&offset=1')
  })

  it.each(['asc', 'desc'] as const)(
    'of messages include external ones, which have no time, after all others: %s',
    async (sort) => {
      const { jetton, requestedUrls } = await served((request, response) => {
        const isOutside = request.url.includes('only_externals')
        sendJson(response, { messages: [{ hash: isOutside ? 'outside' : 'inside', created_lt: null }] })
      })
      const found = await allOf(rows(jetton, '/api/v3/messages', { sort, exclude_externals: false }))
      const order = sort === 'asc' ? ['inside', 'outside'] : ['outside', 'inside']
      expect(found.map(({ hash }) => hash)).toEqual(order)
      await allOf(rows(jetton, '/api/v3/messages', { sort, start_lt: '5' }))
      expect(requestedUrls().slice(2)).toEqual([`messages?sort=${sort}&start_lt=5&limit=100&offset=0`])
    },
  )

  it('are not read ahead of the reader', async () => {
    const { jetton, requestedUrls } = await served(pages('transactions', page, page))
    for await (const { hash } of rows(jetton, '/api/v3/transactions', { pageSize: 3 })) {
      if (hash === 'b') break
    }
    expect(requestedUrls()).toHaveLength(1)
  })

  it('end with the reason of the signal, in the middle of a page and of a request', async () => {
    const { jetton } = await served((_, response, count) => {
      if (count === 1) sendJson(response, { transactions: page })
    })
    const reason = new Error('enough')
    for (const stopAt of ['a', 'c']) {
      const controller = new AbortController()
      const received: string[] = []
      const reading = (async () => {
        const { signal } = controller
        for await (const { hash } of rows(jetton, '/api/v3/transactions', { pageSize: 3, signal })) {
          received.push(hash)
          if (hash === stopAt && hash === 'a') controller.abort(reason)
        }
      })()
      if (stopAt === 'c') controller.abort(reason)
      await expect(reading).rejects.toBe(reason)
      expect(received).toEqual(stopAt === 'a' ? ['a'] : [])
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
    expect(FairleadError.is(failure, 'HTTP_STATUS') && failure.details).toMatchObject({
      status: 422,
      detail: 'bad address',
    })
  })

  it('are typed by path, including the parameters', () => {
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
