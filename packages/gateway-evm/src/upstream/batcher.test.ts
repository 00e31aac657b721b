import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type BusyChain, heir, receiver, startBusyChain } from '../testing/busy-chain.ts'
import { nodeThat } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, type ListenerFixture, token } from '../testing/listener-fixture.ts'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { pooledNode } from '../testing/pooled-node.ts'

interface RpcCall {
  readonly id: number | string
  readonly method: string
  readonly params: readonly unknown[]
}
interface RpcAnswer {
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
const answerTo = ({ id, params }: RpcCall) => ({ jsonrpc: '2.0', id, result: params[0] })

function textOf(calls: readonly object[]): string {
  return JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })))
}

async function send(gateway: ListenerFixture, calls: readonly object[]): Promise<readonly RpcAnswer[]> {
  const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body: textOf(calls) })
  expect(response.status).toBe(200)
  return (await response.json()) as readonly RpcAnswer[]
}

/** Response of the fake upstream to a batch. It responds to a single call with the first param. */
type OfBatch = (calls: readonly RpcCall[], response: ServerResponse) => unknown

/** Starts an upstream that records the bodies it receives. */
async function listeningNode(ofBatch: OfBatch = (calls, response) => write(response, calls.map(answerTo))) {
  const bodies: (RpcCall | readonly RpcCall[])[] = []
  const url = await nodeThat(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text) as RpcCall | readonly RpcCall[]
    bodies.push(body)
    if ('id' in body) write(response, answerTo(body))
    else await ofBatch(body, response)
  })
  const sizes = () => bodies.map((body) => ('id' in body ? 1 : body.length)).toSorted((a, b) => b - a)
  return { url, bodies, sizes }
}

function write(response: ServerResponse, answer: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

/** Returns the expected responses to the calls. */
const wellAnswered = (calls: readonly RpcCall[]) => calls.map(answerTo)

describe('the calls of a batch', () => {
  it('go to the node as one, but for those that take longer, change something, or are long', async () => {
    const node = await listeningNode()
    const gateway = await inFrontOf(node.url)
    const others = [
      { id: 'a', method: 'eth_call', params: [{ to: receiver }, '0x1'] },
      { id: 'b', method: 'eth_sendRawTransaction', params: ['0x00'] },
      { id: 'c', method: 'eth_getBlockByNumber', params: ['0x1', true] },
    ]
    const quick = [...balances(3), { id: 'd-4', method: 'eth_getBlockByNumber', params: ['0x1', false] }]
    const answers = await send(gateway, [...others, ...quick])
    expect(answers).toEqual(wellAnswered([...others, ...quick]))
    expect(node.sizes()).toEqual([4, 1, 1, 1])
    expect(node.bodies.find((body) => !('id' in body))).toEqual(
      quick.map((call) => ({ jsonrpc: '2.0', ...call })),
    )
  })

  it('go alone under ids that nodes would not give back, or that others have', async () => {
    const node = await listeningNode()
    const gateway = await inFrontOf(node.url)
    const calls = [balance(1), balance(1), balance(2), balance('ü'), balance('ü')]
    expect(await send(gateway, calls)).toEqual(wellAnswered(calls))
    expect(node.sizes()).toEqual([2, 1, 1, 1])
  })

  it.each([
    ['', [20, 5]],
    ['#batch=30', [30, 15]],
    ['#batch=1', [1]],
  ])('go in as many as %j says', async (fragment, sizes) => {
    const node = await listeningNode()
    const gateway = await inFrontOf(`${node.url}${fragment}`)
    expect(await send(gateway, balances(45))).toEqual(wellAnswered(balances(45)))
    // A request that is delayed by its connection is sent on another one as well.
    expect([...new Set(node.sizes())]).toEqual(sizes)
  })

  it('go together over a WebSocket too, while messages of their own do not', async () => {
    const node = await listeningNode()
    const { socket } = await openWebSocket((await inFrontOf(node.url)).wsUrl)
    const [batch, first, second] = [
      textOf(balances(5)),
      JSON.stringify({ jsonrpc: '2.0', ...balance(8) }),
      JSON.stringify({ jsonrpc: '2.0', ...balance(9) }),
    ]
    const heard: unknown[] = []
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
    for (const text of [first, batch, second]) socket.send(text)
    await vi.waitFor(() => expect(heard).toHaveLength(3), 20_000)
    socket.terminate()
    expect(heard).toContainEqual(wellAnswered(balances(5)))
    expect(node.sizes()).toEqual([5, 1, 1])
  })
})

describe('a node that', () => {
  it.each<[string, OfBatch]>([
    ['answers in another order', (calls, response) => write(response, calls.map(answerTo).toReversed())],
    [
      'leaves some out, or refuses them for the batch',
      ([first, second, third, ...rest], response) => {
        const tooLarge = { code: -32_003, message: 'response too large' }
        write(response, [
          ...(first ? [{ ...answerTo(first), id: null }] : []),
          ...(second ? [{ jsonrpc: '2.0', id: second.id, error: tooLarge }] : []),
          ...(third ? [null, 7, 'text', { jsonrpc: '2.0', id: {}, result: 1 }, answerTo(third)] : []),
          ...rest.map(answerTo),
          { jsonrpc: '2.0', id: 77, result: 'unasked' },
        ])
      },
    ],
    [
      'answers under an id that nobody could write',
      (_, response) => {
        const id = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
        const text = `[{"jsonrpc":"2.0","id":${id},"result":1}]`
        response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      },
    ],
    [
      'takes no batches',
      (_, response) =>
        write(response, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no batches' } }),
    ],
    ['refuses them by a status', (_, response) => write(response, {}, 413)],
    [
      'answers in pieces',
      (calls, response) => {
        const text = JSON.stringify(calls.map(answerTo), undefined, 2)
        response.writeHead(200, { 'content-type': 'application/json' }).write(`\n${text.slice(0, 50)}`)
        setImmediate(() => response.end(text.slice(50)))
      },
    ],
  ])('%s has each call answered', async (_, ofBatch) => {
    const node = await listeningNode(ofBatch)
    const gateway = await inFrontOf(node.url)
    expect(await send(gateway, balances(5))).toEqual(wellAnswered(balances(5)))
  })

  it('answers at length has each call answered', async () => {
    const result = 'x'.repeat(50_000)
    const node = await listeningNode((calls, response) =>
      write(
        response,
        calls.map(({ id }) => ({ jsonrpc: '2.0', id, result })),
      ),
    )
    const answers = await send(await inFrontOf(node.url), balances(5))
    expect(node.sizes()).toEqual([5])
    expect(answers.map((answer) => answer.result === result)).toEqual(Array.from({ length: 5 }, () => true))
  })

  it('took no batch is sent none again', async () => {
    const node = await listeningNode((_, response) => write(response, { error: { code: -32_600 } }))
    const gateway = await inFrontOf(node.url)
    for (const calls of [balances(3), balances(4)]) await send(gateway, calls)
    expect(node.sizes()).toEqual([3, ...Array.from({ length: 7 }, () => 1)])
  })

  it.each<[string, OfBatch, string]>([
    [
      'answers no JSON',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('<html>s3cr3t</html>'),
      'The node answered something that is not JSON-RPC.',
    ],
    ['fails', (_, response) => write(response, {}, 500), 'The node answered HTTP 500.'],
    ['has too much to do', (_, response) => write(response, {}, 429), 'The node answered HTTP 429.'],
    ['breaks off', (_, response) => response.destroy(), 'The node cannot be reached.'],
  ])('%s fails each call', async (_, ofBatch, message) => {
    const node = await listeningNode(ofBatch)
    const answers = await send(await inFrontOf(node.url), balances(3))
    const error = { code: -32_603, message }
    expect(answers).toEqual(balances(3).map(({ id }) => ({ jsonrpc: '2.0', id, error })))
    expect(node.sizes()).toContain(3)
  })

  it('has too much to do for a batch has too much for each of its calls, and is sent batches still', async () => {
    const error = { code: -32_005, message: 'daily request rate limited' }
    const node = await listeningNode((_, response) => write(response, { jsonrpc: '2.0', id: null, error }))
    const gateway = await inFrontOf(node.url)
    for (let round = 0; round < 2; round++) {
      const answers = await send(gateway, balances(3))
      expect(answers.map(({ id, error: rejection }) => [id, rejection?.code])).toEqual([
        [1, -32_005],
        [2, -32_005],
        [3, -32_005],
      ])
    }
    expect(node.sizes()).toEqual([3, 3])
  })

  it('has an error for one call, is heard for that one, without what is secret in its address', async () => {
    const node = await listeningNode((calls, response) =>
      write(
        response,
        calls.map((call) =>
          call.id === 2
            ? { jsonrpc: '2.0', id: 2, error: { code: -32_000, message: 'no state at s3cr3t-key' } }
            : answerTo(call),
        ),
      ),
    )
    const answers = await send(await inFrontOf(`${node.url}/s3cr3t-key`), balances(3))
    expect(answers[1]?.error?.code).toBe(-32_000)
    expect(JSON.stringify(answers)).not.toContain('s3cr3t')
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(2)
  })

  it('is left by the client need not answer', async () => {
    const heard: ServerResponse[] = []
    const node = await listeningNode((_, response) => heard.push(response))
    const gateway = await inFrontOf(node.url, { timeoutMs: 60_000 })
    const ended = new AbortController()
    const sent = fetch(`${gateway.url}/${token}`, {
      method: 'POST',
      body: textOf(balances(3)),
      signal: ended.signal,
    })
    await vi.waitFor(() => expect(heard).toHaveLength(1), 20_000)
    ended.abort()
    await expect(sent).rejects.toThrow()
    await vi.waitFor(() => expect(heard[0]?.closed).toBe(true), 20_000)
  })

  it('hangs has its part of a batch answered by another one', async () => {
    const hanging = await listeningNode(() => undefined)
    const well = await listeningNode()
    const pool = pooledNode(`${hanging.url} ${well.url}`, { pollMs: 60_000, timeoutMs: 10_000 })
    // The responses of the first upstream contain no chain head, so nothing is known of either upstream.
    const batch = {}
    const results = await Promise.all(
      balances(10).map(({ id, method, params }) => pool.call(method, params, { batch, idText: `${id}` })),
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

  it('answers the calls of a batch together as it does alone', async () => {
    const { hash, blockHash } = chain.busy
    const calls = [
      ['eth_getBalance', receiver, 'latest'],
      ['eth_getBalance', heir],
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
    const together = await send(await inFrontOf(chain.node), calls)
    const alone = await send(await inFrontOf(`${chain.node}#batch=1`), calls)
    expect(together).toEqual(alone)
    expect(together.filter(({ error }) => error).map(({ id }) => id)).toEqual([8, 9, 11])
  })
})
