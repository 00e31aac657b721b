import { describe, expect, it } from 'vitest'
import { http, type HttpRpcTransport } from './http.ts'
import { failure, type NodeServer, ok, refused, startNodeServer } from './testing/node-server.ts'

const token = 's3cr3t-t0k3n'
const open = (node: NodeServer): HttpRpcTransport =>
  http({ url: node.url, auth: { kind: 'token', token }, retries: 1 })

const chain = { method: 'eth_chainId' }
const height = { method: 'eth_blockNumber' }
const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }

/** A transport whose server always responds with this body. */
function saying(body: (ids: number[]) => unknown, status = 200): HttpRpcTransport {
  return http({
    url: 'https://node.example.com',
    auth: { kind: 'token', token },
    retries: 0,
    fetch: async (_, init) => {
      const sent = JSON.parse(init?.body as string) as { id: number }[]
      const responses = body([sent].flat().map(({ id }) => id))
      return typeof responses === 'string'
        ? new Response(responses, { status })
        : Response.json(responses, { status })
    },
  })
}

describe('a batch over HTTP', () => {
  it('is one exchange with one outcome per call, in order', async () => {
    const node = await startNodeServer()
    node.respond = ({ method }) => (method === 'eth_chainId' ? ok('0x1') : refused(-32601))
    expect(await open(node).batch([{ method: 'eth_foo', params: [1] }, chain])).toMatchObject([
      { status: 'rejected', reason: { details: { operation: 'eth_foo', rpcCode: -32601, status: 200 } } },
      { status: 'fulfilled', value: '0x1' },
    ])
    expect(node.messages).toEqual([
      '[{"jsonrpc":"2.0","id":1,"method":"eth_foo","params":[1]},{"jsonrpc":"2.0","id":2,"method":"eth_chainId","params":[]}]',
    ])
  })

  it('can receive responses in any order', async () => {
    const transport = saying((ids) => ids.toReversed().map((id) => ({ id, result: `0x${id}` })))
    expect(await transport.batch([chain, height])).toMatchObject([{ value: '0x1' }, { value: '0x2' }])
  })

  it('is invalid only for calls without a response', async () => {
    const transport = saying(([, second]) => [null, { id: second, result: null }, { id: 77, result: 1 }])
    expect(await transport.batch([chain, height])).toMatchObject([
      { status: 'rejected', reason: { code: 'DECODE_INVALID', details: { operation: 'eth_chainId' } } },
      { status: 'fulfilled', value: null },
    ])
  })

  it.each<[string, string, (ids: number[]) => unknown, number]>([
    ['a single error', 'RPC_ERROR', () => ({ id: null, error: { code: -32600, message: token } }), 400],
    ['an error without an id', 'RPC_ERROR', () => [{ id: null, error: { code: -32600 } }], 200],
    ['a single result', 'DECODE_INVALID', () => ({ id: 1, result: '0x1' }), 200],
    ['a result without an id', 'DECODE_INVALID', () => [{ id: null, result: '0x1' }], 200],
    ['an empty array', 'DECODE_INVALID', () => [], 200],
    ['a text', 'DECODE_INVALID', () => token, 200],
    ['another status', 'HTTP_STATUS', () => token, 502],
  ])('fails for all calls with %s', async (_, code, body, status) => {
    const outcomes = await saying(body, status).batch([chain, height])
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code } },
      { status: 'rejected', reason: { code } },
    ])
    expect(
      String(outcomes.map((outcome) => String((outcome as PromiseRejectedResult).reason))),
    ).not.toContain(token)
  })

  it('assigns an error without an id only to calls without a response', async () => {
    const unnamed = { id: null, error: { code: -32600, message: 'too many' } }
    const transport = saying(([first]) => [unnamed, { id: first, result: '0x1' }])
    expect(await transport.batch([chain, height])).toMatchObject([
      { status: 'fulfilled', value: '0x1' },
      { status: 'rejected', reason: { details: { operation: 'eth_blockNumber', rpcCode: -32600 } } },
    ])
  })

  it('is retried only if all of its calls are idempotent', async () => {
    const node = await startNodeServer()
    node.respond = () => undefined
    const transport = open(node)
    await transport.batch([chain, raw])
    expect(node.messages).toHaveLength(1)
    await transport.batch([chain, height])
    expect(node.messages).toHaveLength(3)
  })

  it('is not sent if it is empty', async () => {
    const node = await startNodeServer()
    expect(await open(node).batch([])).toEqual([])
    expect(node.messages).toEqual([])
  })

  it('fails with the reason of its signal', async () => {
    const node = await startNodeServer()
    const reason = new Error('enough')
    const outcomes = await open(node).batch([chain, height], { signal: AbortSignal.abort(reason) })
    expect(outcomes).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ])
  })
})

describe('a call over HTTP', () => {
  it('fails individually if it cannot be serialized', async () => {
    const node = await startNodeServer()
    await expect(open(node).request({ method: 'eth_call', params: [1n] })).rejects.toThrow(TypeError)
  })

  it('is invalid if the response is an array', async () => {
    const error = await failure(saying(([id]) => [{ id, result: '0x1' }]).request(chain))
    expect(error.code).toBe('DECODE_INVALID')
  })
})

it.each([
  ['timeoutMs', { timeoutMs: Infinity }],
  ['retries', { retries: Number.NaN }],
])('rejects invalid numbers: %s', async (option, numbers) => {
  const node = await startNodeServer()
  expect(() => http({ url: node.url, auth: { kind: 'token', token: 't0k3n' }, ...numbers })).toThrow(
    `Invalid value of ${option}: `,
  )
})

it('rejects a timeout that exceeds the maximum timer delay', async () => {
  const node = await startNodeServer()
  const error = await failure(open(node).request(chain, { timeoutMs: Infinity }))
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', details: { option: 'timeoutMs' } })
  const outcomes = await open(node).batch([chain], { timeoutMs: -1 })
  expect(outcomes).toMatchObject([{ reason: { code: 'CONFIG_INVALID' } }])
})
