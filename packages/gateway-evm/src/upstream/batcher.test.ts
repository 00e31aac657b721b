import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type BusyChain, beneficiary, receiver, startBusyChain } from '../testing/busy-chain.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { pooledNode } from '../testing/pooled-node.ts'

interface RpcCall {
  readonly id: number | string
  readonly method: string
  readonly params: readonly unknown[]
}
interface RpcReply {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const balance = (id: number | string): RpcCall => ({
  id,
  method: 'eth_getBalance',
  params: [`0x${String(id).padStart(40, '0')}`, '0x1'],
})
const balances = (count: number) => Array.from({ length: count }, (_, index) => balance(index + 1))
const responseTo = ({ id, params }: RpcCall) => ({ jsonrpc: '2.0', id, result: params[0] })

function textOf(calls: readonly object[]): string {
  return JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })))
}

async function send(gateway: ListenerFixture, calls: readonly object[]): Promise<readonly RpcReply[]> {
  const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body: textOf(calls) })
  expect(response.status).toBe(200)
  return (await response.json()) as readonly RpcReply[]
}

/** Response of the fake upstream to a batch. It responds to a single call with the first param. */
type OfBatch = (calls: readonly RpcCall[], response: ServerResponse) => unknown

/** Starts an upstream that records the bodies it receives. */
async function listeningNode(ofBatch: OfBatch = (calls, response) => write(response, calls.map(responseTo))) {
  const bodies: (RpcCall | readonly RpcCall[])[] = []
  const url = await startTestNode(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text) as RpcCall | readonly RpcCall[]
    bodies.push(body)
    if ('id' in body) write(response, responseTo(body))
    else await ofBatch(body, response)
  })
  const sizes = () => bodies.map((body) => ('id' in body ? 1 : body.length)).toSorted((a, b) => b - a)
  return { url, bodies, sizes }
}

function write(response: ServerResponse, content: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
}

/** Returns the expected responses to the calls. */
const responsesTo = (calls: readonly RpcCall[]) => calls.map(responseTo)

describe('the calls of a batch', () => {
  it('are sent as one batch, except slow, non-idempotent and large calls', async () => {
    const node = await listeningNode()
    const gateway = await inFrontOf(node.url)
    const longCalls = [
      { id: 'a', method: 'eth_call', params: [{ to: receiver }, '0x1'] },
      { id: 'b', method: 'eth_sendRawTransaction', params: ['0x00'] },
      { id: 'c', method: 'eth_getBlockByNumber', params: ['0x1', true] },
    ]
    const shortCalls = [...balances(3), { id: 'd-4', method: 'eth_getBlockByNumber', params: ['0x1', false] }]
    const responses = await send(gateway, [...longCalls, ...shortCalls])
    expect(responses).toEqual(responsesTo([...longCalls, ...shortCalls]))
    expect(node.sizes()).toEqual([4, 1, 1, 1])
    expect(node.bodies.find((body) => !('id' in body))).toEqual(
      shortCalls.map((call) => ({ jsonrpc: '2.0', ...call, id: expect.any(Number) })),
    )
  })

  it('are distinguished also when the client repeats an id', async () => {
    const node = await listeningNode()
    const gateway = await inFrontOf(node.url)
    const calls = [balance(1), balance(1), balance(2), balance('ü'), balance('ü')]
    expect(await send(gateway, calls)).toEqual(responsesTo(calls))
    expect(node.sizes()).toEqual([5])
  })

  it.each([
    ['', [20, 5]],
    ['#batch=30', [30, 15]],
    ['#batch=1', [1]],
  ])('are sent in batches of the size that %j sets', async (fragment, sizes) => {
    const node = await listeningNode()
    const gateway = await inFrontOf(`${node.url}${fragment}`)
    expect(await send(gateway, balances(45))).toEqual(responsesTo(balances(45)))
    // A request that is delayed by its connection is sent on another one as well.
    expect([...new Set(node.sizes())]).toEqual(sizes)
  })

  it('are batched over a WebSocket too, unlike separate messages', async () => {
    const node = await listeningNode()
    const { socket } = await openWebSocket((await inFrontOf(node.url)).wsUrl)
    const [batch, first, second] = [
      textOf(balances(5)),
      JSON.stringify({ jsonrpc: '2.0', ...balance(8) }),
      JSON.stringify({ jsonrpc: '2.0', ...balance(9) }),
    ]
    const received: unknown[] = []
    socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())))
    for (const text of [first, batch, second]) socket.send(text)
    await vi.waitFor(() => expect(received).toHaveLength(3), 20_000)
    socket.terminate()
    expect(received).toContainEqual(responsesTo(balances(5)))
    expect(node.sizes()).toEqual([5, 1, 1])
  })
})

describe('a node that', () => {
  it.each<[string, OfBatch]>([
    ['responds in another order', (calls, response) => write(response, calls.map(responseTo).toReversed())],
    [
      'omits some, or rejects them because of the batch',
      ([first, second, third, ...rest], response) => {
        const tooLarge = { code: -32_003, message: 'response too large' }
        write(response, [
          ...(first ? [{ ...responseTo(first), id: null }] : []),
          ...(second ? [{ jsonrpc: '2.0', id: second.id, error: tooLarge }] : []),
          ...(third ? [null, 7, 'text', { jsonrpc: '2.0', id: {}, result: 1 }, responseTo(third)] : []),
          ...rest.map(responseTo),
          { jsonrpc: '2.0', id: 77, result: 'unasked' },
        ])
      },
    ],
    [
      'responds with an id that is nested too deeply',
      (_, response) => {
        const id = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
        const text = `[{"jsonrpc":"2.0","id":${id},"result":1}]`
        response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      },
    ],
    [
      'does not support batches',
      (_, response) =>
        write(response, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no batches' } }),
    ],
    ['rejects them with an HTTP status', (_, response) => write(response, {}, 413)],
    [
      'responds in chunks',
      (calls, response) => {
        const text = JSON.stringify(calls.map(responseTo), undefined, 2)
        response.writeHead(200, { 'content-type': 'application/json' }).write(`\n${text.slice(0, 50)}`)
        setImmediate(() => response.end(text.slice(50)))
      },
    ],
  ])('%s gets each call separately', async (_, ofBatch) => {
    const node = await listeningNode(ofBatch)
    const gateway = await inFrontOf(node.url)
    expect(await send(gateway, balances(5))).toEqual(responsesTo(balances(5)))
  })

  it('returns long responses gets each call separately', async () => {
    const result = 'x'.repeat(50_000)
    const node = await listeningNode((calls, response) =>
      write(
        response,
        calls.map(({ id }) => ({ jsonrpc: '2.0', id, result })),
      ),
    )
    const responses = await send(await inFrontOf(node.url), balances(5))
    expect(node.sizes()).toEqual([5])
    expect(responses.map((response) => response.result === result)).toEqual(
      Array.from({ length: 5 }, () => true),
    )
  })

  it('rejected a batch receives no further batches', async () => {
    const node = await listeningNode((_, response) => write(response, { error: { code: -32_600 } }))
    const gateway = await inFrontOf(node.url)
    for (const calls of [balances(3), balances(4)]) await send(gateway, calls)
    expect(node.sizes()).toEqual([3, ...Array.from({ length: 7 }, () => 1)])
  })

  it.each([
    [429, {}],
    [503, { jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'daily request rate limited' } }],
  ])(
    'is busy with HTTP %i fails each call of a batch and still receives batches',
    async (status, content) => {
      const node = await listeningNode((_, response) =>
        write(response.setHeader('retry-after', '0'), content, status),
      )
      const gateway = await inFrontOf(node.url)
      const data = { reason: 'upstream busy', retry_after_ms: 1 }
      const error = { code: -32_005, data }
      for (let round = 0; round < 2; round++)
        expect(await send(gateway, balances(3))).toMatchObject([1, 2, 3].map((id) => ({ id, error })))
      expect(node.sizes()).toEqual([3, 3])
    },
  )

  it('returns an error for one call fails only that call, without the secrets of its URL', async () => {
    const node = await listeningNode((calls, response) =>
      write(
        response,
        calls.map((call) =>
          call.params[0] === balance(2).params[0]
            ? { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: 'no state at s3cr3t-key' } }
            : responseTo(call),
        ),
      ),
    )
    const responses = await send(await inFrontOf(`${node.url}/s3cr3t-key`), balances(3))
    expect(responses[1]?.error?.code).toBe(-32_000)
    expect(JSON.stringify(responses)).not.toContain('s3cr3t')
    expect(responses.filter(({ result }) => result !== undefined)).toHaveLength(2)
  })

  it('has no waiting client has its batch cancelled', async () => {
    const received: ServerResponse[] = []
    const node = await listeningNode((_, response) => received.push(response))
    const gateway = await inFrontOf(node.url, { timeoutMs: 60_000 })
    const controller = new AbortController()
    const sent = fetch(`${gateway.url}/${token}`, {
      method: 'POST',
      body: textOf(balances(3)),
      signal: controller.signal,
    })
    await vi.waitFor(() => expect(received).toHaveLength(1), 20_000)
    controller.abort()
    await expect(sent).rejects.toThrow()
    await vi.waitFor(() => expect(received[0]?.closed).toBe(true), 20_000)
  })

  it('hangs has its calls of a batch retried on another upstream', async () => {
    const hanging = await listeningNode(() => undefined)
    const healthy = await listeningNode()
    const pool = pooledNode(`${hanging.url} ${healthy.url}`, { pollMs: 60_000, timeoutMs: 10_000 })
    // The responses of the first upstream contain no chain head, so nothing is known of either upstream.
    const batch = {}
    const results = await Promise.all(
      balances(10).map(({ method, params }) => pool.call(method, params, { batch })),
    )
    expect(hanging.sizes()).toContain(5)
    expect(results).toHaveLength(10)
    expect(new Set(results).size).toBe(10)
    expect(pool.states().map(({ callsInFlight }) => callsInFlight)).toEqual([0, 0])
  })
})

describe('a real node', () => {
  let chain: BusyChain
  beforeAll(async () => {
    chain = await startBusyChain()
  }, 60_000)
  afterAll(() => chain.stop())

  it('returns the same responses to batched and to single calls', async () => {
    const { hash, blockHash } = chain.busy
    const calls = [
      ['eth_getBalance', receiver, 'latest'],
      ['eth_getBalance', beneficiary],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getBlockByHash', blockHash, false],
      ['eth_getTransactionReceipt', hash],
      ['eth_getTransactionByHash', `0x${'0'.repeat(64)}`],
      ['eth_getStorageAt', receiver, '0x0', 'latest'],
      ['eth_getStorageAt', receiver, 'no slot', 'latest'],
      ['eth_getBalance', receiver, '0xfffffff'],
      ['eth_chainId'],
      ['eth_nothing'],
    ].map(([method, ...params], index) => ({ id: index + 1, method, params }))
    const batched = await send(await inFrontOf(chain.node), calls)
    const single = await send(await inFrontOf(`${chain.node}#batch=1`), calls)
    expect(batched).toEqual(single)
    expect(batched.filter(({ error }) => error).map(({ id }) => id)).toEqual([8, 9, 11])
  })
})
