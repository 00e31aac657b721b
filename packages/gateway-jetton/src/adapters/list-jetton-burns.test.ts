import { Address, beginCell } from '@ton/core'
import { describe, expect, it } from 'vitest'
import { listJettonBurns } from './list-jetton-burns.ts'
import { type UpstreamReply, type ReceivedRequest, callOf, jettonServer } from '../testing/jetton-server.ts'

const raw = (byte: string) => `0:${byte.repeat(32)}`
const master = raw('A1')
const owner = raw('B2')
const masterFriendly = Address.parse(master).toString({ bounceable: true })
const ownerFriendly = Address.parse(owner).toString({ bounceable: false })

const comment = (text: string) =>
  beginCell().storeUint(0, 32).storeStringTail(text).endCell().toBoc().toString('base64')

type Row = Readonly<Record<string, unknown>>

/** A burn as an indexer returns it. */
const burn = (lt: number, fields: Row = {}): Row => ({
  query_id: '0',
  owner,
  jetton_wallet: raw('C3'),
  jetton_master: master,
  transaction_hash: Buffer.alloc(32, lt).toString('base64'),
  transaction_lt: String(lt),
  transaction_now: 1_763_739_000 + lt,
  transaction_aborted: false,
  amount: '2500000000',
  response_destination: owner,
  custom_payload: null,
  decoded_custom_payload: null,
  trace_id: 'cJtVvT2g9ag4ElvQ7iDFv918q6FzkS1CgcroFreaIBs=',
  ...fields,
})

const addressBook = {
  [master]: { user_friendly: masterFriendly, domain: null, interfaces: ['jetton_master'] },
  [owner]: { user_friendly: ownerFriendly, domain: null, interfaces: ['wallet_v4r2'] },
}
const metadata = {
  [master]: {
    is_indexed: true,
    token_info: [
      { valid: true, type: 'nft_items', name: 'Another' },
      { valid: true, type: 'jetton_masters', name: 'Tide Token', symbol: 'TIDE', extra: { decimals: '9' } },
    ],
  },
}

/** The response of an indexer with these burns, oldest first. */
function pageOf(burns: readonly Row[], { query }: ReceivedRequest): UpstreamReply {
  const limit = Number(query.get('limit'))
  const offset = Number(query.get('offset'))
  if (limit > 1000) return [422, { error: `limit is not allowed: ${limit} > 1000` }]
  const ordered = query.get('sort') === 'asc' ? burns : burns.toReversed()
  const rows = ordered.slice(offset, offset + limit)
  return { jetton_burns: rows.length === 0 ? null : rows, address_book: addressBook, metadata }
}

const call = (parameters: Row = {}) =>
  callOf('v3', 'listJettonBurns', {
    address: masterFriendly,
    limit: 128,
    offset: 0,
    sort: 'desc',
    ...parameters,
  })

interface BurnList {
  readonly burns: readonly {
    readonly jetton: Row
    readonly burner: Row
    readonly transaction: { readonly hash: string; readonly time: number }
    readonly amount: string
    readonly comment: string
  }[]
}

async function list(respond: (request: ReceivedRequest) => UpstreamReply, parameters?: Row) {
  const { upstreams, requests } = await jettonServer(respond)
  const { burns } = (await listJettonBurns(call(parameters), upstreams)) as BurnList
  return { burns, requests, lts: burns.map(({ transaction }) => transaction.time - 1_763_739_000) }
}

const errorFor = async (reply: UpstreamReply) => {
  const { upstreams } = await jettonServer(() => reply)
  return listJettonBurns(call(), upstreams).catch((error: unknown) => error)
}

describe('a burn', () => {
  it('has the fields of the contract', async () => {
    const { burns, requests } = await list((request) =>
      pageOf([burn(1, { custom_payload: comment('Bye') })], request),
    )
    expect(burns).toEqual([
      {
        jetton: { address: masterFriendly, name: 'Tide Token', symbol: 'TIDE' },
        burner: { address: ownerFriendly },
        transaction: { hash: Buffer.alloc(32, 1).toString('base64'), time: 1_763_739_001 },
        amount: '2500000000',
        comment: 'Bye',
      },
    ])
    expect(requests.map(({ path, query }) => [path, Object.fromEntries(query)])).toEqual([
      ['/api/v3/jetton/burns', { jetton_master: masterFriendly, limit: '128', offset: '0', sort: 'desc' }],
    ])
  })

  it('has user-friendly addresses without an address book', async () => {
    const { burns } = await list(() => ({ jetton_burns: [burn(1)], metadata }))
    expect(burns[0]?.jetton['address']).toMatch(/^EQ/)
    expect(burns[0]?.burner['address']).toMatch(/^UQ/)
    expect([burns[0]?.jetton['address'], burns[0]?.burner['address']]).toEqual([
      masterFriendly,
      ownerFriendly,
    ])
  })

  it('is absent when there are no burns', async () => {
    expect((await list((request) => pageOf([], request))).burns).toEqual([])
  })
})

describe('the names of a jetton', () => {
  const unindexed = { [master]: { is_indexed: false, token_info: [] } }
  const withoutNames = (masters: UpstreamReply) => (request: ReceivedRequest) =>
    request.path.endsWith('/masters') ? masters : { jetton_burns: [burn(1), burn(2)], metadata: unindexed }

  it('are requested once from its master when the metadata lacks them', async () => {
    const masters = { jetton_masters: [{ address: master, jetton_content: { name: 'Tide', symbol: 'TD' } }] }
    const { upstreams, requests } = await jettonServer(withoutNames(masters))
    const first = (await listJettonBurns(call(), upstreams)) as BurnList
    expect(first.burns.map(({ jetton }) => jetton['name'])).toEqual(['Tide', 'Tide'])
    expect(await listJettonBurns(call(), upstreams)).toEqual(first)
    expect(requests.map(({ path, query }) => [path, query.get('address')])).toEqual([
      ['/api/v3/jetton/burns', null],
      ['/api/v3/jetton/masters', master],
      ['/api/v3/jetton/burns', null],
    ])
  })

  it.each<UpstreamReply>([
    { jetton_masters: null },
    { jetton_masters: [{ address: master, jetton_content: { uri: 'https://example.org/jetton.json' } }] },
    [500, { error: 'internal server error: timeout' }],
    [200, 'It works!'],
  ])('are empty when they are unknown: %j', async (masters) => {
    const { burns } = await list(withoutNames(masters))
    expect(burns[0]?.jetton).toEqual({ address: masterFriendly, name: '', symbol: '' })
  })

  it('are not read from invalid metadata', async () => {
    const token = { valid: false, type: 'jetton_masters', name: 'Forged', symbol: 'F' }
    const { burns } = await list((request) =>
      request.path.endsWith('/masters')
        ? { jetton_masters: null }
        : { jetton_burns: [burn(1)], metadata: { [master]: { is_indexed: true, token_info: [token] } } },
    )
    expect(burns[0]?.jetton).toMatchObject({ name: '', symbol: '' })
  })
})

describe('a page', () => {
  const failedBurns = Array.from({ length: 2300 }, (_, index) => burn(index))

  it('can be longer than a page of the indexer', async () => {
    const { lts, requests } = await list((request) => pageOf(failedBurns, request), {
      limit: 2500,
      sort: 'asc',
    })
    expect(lts).toEqual(failedBurns.map((_, index) => index))
    expect(requests.map(({ query }) => [query.get('offset'), query.get('limit')])).toEqual([
      ['0', '1000'],
      ['1000', '1000'],
      ['2000', '1000'],
    ])
  })

  it('is never longer than requested', async () => {
    const { lts } = await list((request) => pageOf(failedBurns, request), {
      limit: 1500,
      offset: 700,
      sort: 'asc',
    })
    expect(lts).toEqual(Array.from({ length: 1500 }, (_, index) => 700 + index))
  })

  it('is limited to the requested time', async () => {
    const { requests } = await list((request) => pageOf(failedBurns, request), {
      start_utime: 1_763_739_000,
      limit: 1500,
    })
    expect(requests.map(({ query }) => [query.get('start_utime'), query.has('end_utime')])).toEqual([
      ['1763739000', false],
      ['1763739000', false],
    ])
  })

  it.each(['asc', 'desc'])('counts only successful burns: %s', async (sort) => {
    // Three of four burns failed, including all of the first ones.
    const rows = Array.from({ length: 60 }, (_, lt) =>
      burn(lt, { transaction_aborted: lt < 9 || lt % 4 !== 0 }),
    )
    const succeeded = rows
      .filter((row) => row['transaction_aborted'] === false)
      .map((row) => Number(row['transaction_lt']))
    if (sort === 'desc') succeeded.reverse()
    const { upstreams } = await jettonServer((request) => pageOf(rows, request))
    for (const limit of [1, 2, 3, 5, 100]) {
      for (const offset of [0, 1, 4, 12, 13, 20]) {
        const { burns } = (await listJettonBurns(call({ limit, offset, sort }), upstreams)) as BurnList
        const lts = burns.map(({ transaction }) => transaction.time - 1_763_739_000)
        expect({ limit, offset, lts }).toEqual({
          limit,
          offset,
          lts: succeeded.slice(offset, offset + limit),
        })
      }
    }
  })

  it('needs few requests after many failed burns', async () => {
    const rows = Array.from({ length: 501 }, (_, lt) => burn(lt, { transaction_aborted: lt < 500 }))
    const { lts, requests } = await list((request) => pageOf(rows, request), { limit: 1, sort: 'asc' })
    expect(lts).toEqual([500])
    expect(requests.map(({ query }) => Number(query.get('limit')))).toEqual([
      1, 1, 2, 4, 8, 16, 32, 64, 128, 256,
    ])
  })

  it('fails when too many burns failed or the list never ends', async () => {
    const { upstreams } = await jettonServer(({ query }) => {
      const row = { transaction_aborted: true }
      return { jetton_burns: Array.from({ length: Number(query.get('limit')) }, () => row) }
    })
    await expect(listJettonBurns(call(), upstreams)).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/more than 100000 failed burns.* start_utime or end_utime/),
    })
  })

  it('has no duplicates when burns happen between requests', async () => {
    const rows = [...failedBurns]
    const { lts } = await list(
      (request) => {
        const page = pageOf(rows, request)
        rows.push(burn(rows.length), burn(rows.length + 1))
        return page
      },
      { limit: 2100 },
    )
    expect(lts).toEqual(Array.from({ length: 2100 }, (_, index) => 2299 - index))
  })
})

describe('an upstream that does not return burns', () => {
  it.each<readonly [UpstreamReply, number, string]>([
    [[422, { error: 'invalid address' }], 422, 'invalid address'],
    [[429, { ok: false, result: 'Ratelimit exceed', code: 429 }], 429, 'Ratelimit exceed'],
    [[500, { error: 'internal server error: timeout' }], 500, 'internal server error: timeout'],
    [[504, 'upstream timed out'], 504, 'upstream timed out'],
  ])('passes on its error: %j', async (reply, status, message) => {
    expect(await errorFor(reply)).toMatchObject({ status, message })
  })

  it.each<UpstreamReply>([
    {},
    { jetton_burns: {} },
    { jetton_burns: [1] },
    { jetton_burns: [burn(1, { owner: null })] },
    { jetton_burns: [burn(1, { owner: '0:12' })] },
    { jetton_burns: [burn(1, { jetton_master: undefined })] },
    { jetton_burns: [burn(1, { transaction_hash: 7 })] },
    { jetton_burns: [burn(1, { transaction_now: '1763739000' })] },
    { jetton_burns: [burn(1, { amount: '1.5' })] },
  ])('causes a 502: %j', async (reply) => {
    const error = await errorFor(reply)
    expect(error).toMatchObject({ status: 502, message: 'The response of the upstream is invalid.' })
  })

  it('causes a 502 when its response has another media type', async () => {
    const message = 'The response of the upstream does not follow the jetton chain API.'
    expect(await errorFor([200, 'It works!'])).toMatchObject({ status: 502, message })
  })
})
