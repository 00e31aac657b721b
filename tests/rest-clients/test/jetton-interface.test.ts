import { beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess } from './jetton/access.ts'
import { type Example, findExample } from './jetton/example.ts'

const {
  api_key: key,
  nodes: [, , node],
} = inject('development')
const jetton = jettonAccess(node)
const basic = { authorization: `Basic ${btoa(`${node.username}:${node.password}`)}` }
const json = { 'content-type': 'application/json' }

let example: Example
let burns: string
beforeAll(async () => {
  example = await findExample(jetton)
  burns = `/api/v3/jetton/burns?address=${example.master}`
})

interface Rows {
  readonly burns: readonly { readonly transaction: { readonly hash: string; readonly time: number } }[]
}
const rowsAt = async (path: string) => ((await (await jetton.call(path)).json()) as Rows).burns

describe('GET /api/v3/jetton/burns', () => {
  it('returns rows with exactly the documented fields, as JSON', async () => {
    const response = await jetton.call(`${burns}&limit=1&sort=asc`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toEqual({
      burns: [
        {
          jetton: { address: example.master, name: 'Sample Jetton', symbol: 'SAMPLE' },
          burner: { address: example.wallet },
          transaction: { hash: example.transaction.hash, time: expect.any(Number) as number },
          amount: expect.stringMatching(/^\d+$/) as string,
          comment: expect.any(String) as string,
        },
      ],
    })
  })

  it('sorts from newest to oldest, returns every row and at most 128 by default', async () => {
    const [rows, explicit, ascending, second] = await Promise.all([
      rowsAt(burns),
      rowsAt(`${burns}&limit=128&offset=0&sort=desc`),
      rowsAt(`${burns}&sort=asc`),
      rowsAt(`${burns}&limit=1&offset=1`),
    ])
    expect(rows.length).toBeGreaterThanOrEqual(3)
    expect(explicit).toEqual(rows)
    expect(ascending).toEqual(rows.toReversed())
    expect(second).toEqual(rows.slice(1, 2))
    const times = rows.map(({ transaction }) => transaction.time)
    expect(times).toEqual(times.toSorted((left, right) => right - left))
  })

  it('accepts the address in every format, with the same response', async () => {
    const { list, read } = jetton
    const forms = await read<Record<'bounceable' | 'non_bounceable', { b64: string; b64url: string }>>(
      'detectAddress',
      { address: example.master },
    )
    const raw = await read<string>('unpackAddress', { address: example.master })
    const { bounceable, non_bounceable } = forms
    const written = [raw, raw.toLowerCase(), bounceable.b64, bounceable.b64url, non_bounceable.b64]
    const lists = await Promise.all(written.map((address) => list('jetton/burns', { address, limit: 1 })))
    expect(new Set(lists.map((rows) => JSON.stringify(rows))).size).toBe(1)
  })

  it('returns an empty list for a contract that is not a jetton', async () => {
    expect(await jetton.list('jetton/burns', { address: example.wallet })).toEqual({ burns: [] })
  })
})

describe('getConfigParam', () => {
  const value = {
    validators_elected_for: 65_536,
    elections_start_before: 32_768,
    elections_end_before: 8_192,
    stake_held_for: 32_768,
  }

  it('responds to GET with the parameter without an envelope', async () => {
    const response = await jetton.call('/api/v2/getConfigParam?config_id=15')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toEqual({ config_id: 15, value })
  })

  it.each([1, 0, 9_007_199_254_740_991, '1', 'c0ffee', ''])('returns the id %j of a call', async (id) => {
    const response = await jetton.rpc('getConfigParam', { config_id: 15 }, id)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      ok: true,
      jsonrpc: '2.0',
      id,
      result: {
        config_id: 15,
        value,
        '@type': 'configInfo',
        config: { '@type': 'tvm.cell', bytes: expect.stringMatching(/^te6cc/) as string },
      },
    })
  })
})

describe('access to a node', () => {
  const call = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(
      `${node.node_url}${path}`,
      body ? { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) } : { headers },
    )
  const rpc = { jsonrpc: '2.0', id: 1, method: 'getConfigParam', params: { config_id: 15 } }
  const callEach = async (prefix: string, headers: Record<string, string>) =>
    Promise.all([
      call(`${prefix}${burns}`, headers),
      call(`${prefix}/api/v2/getConfigParam?config_id=15`, headers),
      call(`${prefix}/api/v2/jsonRPC`, headers, rpc),
    ])

  it.each([
    ['the token in the path', `/${node.token}`, {}],
    ['basic authentication', '', basic],
  ])('is granted by %s', async (_, prefix, headers) => {
    for (const response of await callEach(prefix, headers)) expect(response.status).toBe(200)
  })

  it.each<[string, string, Record<string, string>]>([
    ['no credential', '', {}],
    ['a wrong token', `/${'0'.repeat(32)}`, {}],
    ['a wrong password', '', { authorization: `Basic ${btoa(`${node.username}:wrong`)}` }],
    ['an incomplete header', '', { authorization: 'Basic' }],
    ['an API key of the platform', '', { authorization: `Bearer ${key}` }],
    ['the token as a bearer token', '', { authorization: `Bearer ${node.token}` }],
    ['the token as an x-api-key header', '', { 'x-api-key': node.token }],
  ])('is rejected by %s', async (_, prefix, headers) => {
    for (const response of await callEach(prefix, headers)) {
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="node"')
      const body = (await response.json()) as object
      expect(body).toMatchObject({ ok: false, error: expect.any(String) as string, code: 401 })
      expect(JSON.stringify(body)).not.toContain(node.token)
    }
  })
})
