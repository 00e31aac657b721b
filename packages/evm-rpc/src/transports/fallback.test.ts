import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { FairleadError } from '@fairlead/core'
import type { ConnectionEvent, Transport } from '../transport.ts'
import { fallback, type FallbackOptions } from './fallback.ts'
import { http } from './http.ts'
import { rateLimit } from './rate-limit.ts'
import {
  failure,
  type NodeServer,
  ok,
  refused,
  type NodeResponse,
  startNodeServer,
} from './testing/node-server.ts'
import { webSocket } from './web-socket.ts'

const auth = { kind: 'token', token: 't0k3n' } as const
const chain = { method: 'eth_chainId' }
const filter = { method: 'eth_newBlockFilter' }
// Only the bytes matter; the hash is derived from them.
const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }
const rawHash = '0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a'

const plain = (node: NodeServer, timeoutMs?: number): Transport =>
  http({ url: node.url, auth, retries: 0, timeoutMs })

async function startPair(): Promise<[NodeServer, NodeServer]> {
  const [first, second] = [await startNodeServer(), await startNodeServer()]
  first.respond = () => ok('first')
  second.respond = () => ok('second')
  return [first, second]
}

function fallbackOver(nodes: readonly NodeServer[], options?: FallbackOptions): Transport {
  const transport = fallback(
    nodes.map((node) => plain(node)),
    options,
  )
  onTestFinished(() => transport.close?.())
  return transport
}

const methodsOf = (node: NodeServer): string[] => node.calls.map(({ method }) => method)

describe('a call', () => {
  it('is sent only to the first node if that responds', async () => {
    const [first, second] = await startPair()
    expect(await fallbackOver([first, second]).request(chain)).toBe('first')
    expect(second.calls).toEqual([])
  })

  it.each<[string, NodeResponse]>([
    ['no response', undefined],
    ['a missing method', refused(-32601)],
    ['a method that is not supported', refused(-32004)],
    ['a limit', refused(-32005)],
    ['an internal error', refused(-32603)],
    ['an unavailable resource', refused(-32002)],
    ['pruned history', refused(4444)],
    ['no result', {} as NodeResponse],
  ])('uses the next node after %s', async (_, response) => {
    const [first, second] = await startPair()
    first.respond = () => response
    expect(await fallbackOver([first, second]).request(chain)).toBe('second')
  })

  it.each([401, 403, 404, 429, 500, 503])('uses the next node after HTTP %i', async (status) => {
    const [first, second] = await startPair()
    first.refuseWith = status
    expect(await fallbackOver([first, second]).request(chain)).toBe('second')
  })

  it('uses the next node after a connection failure or a timeout', async () => {
    const [first, second] = await startPair()
    first.respond = () => new Promise(() => {})
    const silent = fallback([plain(first, 500), plain(second)])
    expect(await silent.request(chain)).toBe('second')
    await first.stop()
    expect(await fallbackOver([first, second]).request(chain)).toBe('second')
  })

  it.each<[string, NodeResponse]>([
    ['a revert', refused(3, 'execution reverted', '0x')],
    ['a revert as an internal error', refused(-32603, 'VM Exception: reverted')],
    ['wrong parameters', refused(-32602)],
    ['a server error', refused(-32000, 'nonce too low')],
    ['a rejected transaction', refused(-32003)],
  ])('does not use the next node after %s', async (_, response) => {
    const [first, second] = await startPair()
    first.respond = () => response
    expect((await failure(fallbackOver([first, second]).request(chain))).code).toBe('RPC_ERROR')
    expect(second.calls).toEqual([])
  })

  it('fails with the error of the last node', async () => {
    const [first, second] = await startPair()
    first.respond = () => refused(-32601)
    second.respond = () => refused(-32005)
    expect((await failure(fallbackOver([first, second]).request(chain))).details).toMatchObject({
      rpcCode: -32005,
    })
  })

  it('ends with its signal', async () => {
    const [first, second] = await startPair()
    const controller = new AbortController()
    const reason = new Error('enough')
    first.respond = () => {
      controller.abort(reason)
      return refused(-32005)
    }
    await expect(fallbackOver([first, second]).request(chain, { signal: controller.signal })).rejects.toBe(
      reason,
    )
    expect(second.calls).toEqual([])
  })

  it('uses the next node for errors that the caller selects', async () => {
    const [first, second] = await startPair()
    first.respond = () => refused(-32000, 'header not found')
    const transport = fallbackOver([first, second], {
      shouldFallThrough: (error) => String(error).includes('header'),
    })
    expect(await transport.request(chain)).toBe('second')
    first.respond = () => refused(-32601)
    await failure(transport.request(chain))
  })

  it('retries only failed calls of a batch on the next node', async () => {
    const [first, second] = await startPair()
    first.respond = ({ method }) => (method === 'eth_chainId' ? ok('first') : refused(-32601))
    const outcomes = await fallbackOver([first, second]).batch?.([{ method: 'ots_getApiLevel' }, chain])
    expect(outcomes).toMatchObject([{ value: 'second' }, { value: 'first' }])
    expect(methodsOf(second)).toEqual(['ots_getApiLevel'])
  })
})

describe('a call that changes state', () => {
  it('does not use the next node if the node may have executed it', async () => {
    const [first, second] = await startPair()
    first.respond = () => undefined
    expect((await failure(fallbackOver([first, second]).request(filter))).code).toBe('TRANSPORT_FAILED')
    first.respond = () => refused(-32603)
    await failure(fallbackOver([first, second]).request(filter))
    first.refuseWith = 502
    await failure(fallbackOver([first, second]).request(filter))
    expect(second.calls).toEqual([])
  })

  it('uses the next node if the node certainly did not execute it', async () => {
    const [first, second] = await startPair()
    first.respond = () => refused(-32601)
    const transport = fallbackOver([first, second])
    expect(await transport.request(filter)).toBe('second')
    first.refuseWith = 429
    expect(await transport.request(filter)).toBe('second')
    const [stopped] = await startPair()
    await stopped.stop()
    expect(await fallbackOver([stopped, second]).request(filter)).toBe('second')
  })

  it('uses the next node if it was never sent', async () => {
    const [first, second] = await startPair()
    const full = rateLimit(plain(first), { perSecond: 1, burst: 1, maxWaiting: 0 })
    const transport = fallback([full, plain(second)])
    expect(await transport.request(filter)).toBe('first')
    expect(await transport.request(filter)).toBe('second')
  })
})

it('a call that changes state uses the next node after a connect timeout', async () => {
  const [first, second] = await startPair()
  const cause = { code: 'UND_ERR_CONNECT_TIMEOUT' }
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
  const unreachable = http({ url: first.url, auth, fetch })
  expect(await fallback([unreachable, plain(second)]).request(filter)).toBe('second')
})

it.each(['EHOSTUNREACH', 'ENETUNREACH'])(
  'a call that changes state does not use the next node after %s, which can also end established connections',
  async (code) => {
    const [first, second] = await startPair()
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: { code } }))
    const broken = http({ url: first.url, auth, fetch })
    await failure(fallback([broken, plain(second)]).request(filter))
    expect(second.calls).toEqual([])
  },
)

it.each([filter, chain, raw])(
  '$method is not sent to another node when it is closed in flight',
  async (request) => {
    const [first, second] = await startPair()
    first.respond = () => undefined
    const socket = webSocket({ url: first.url, auth, WebSocket })
    const transport = fallback([socket, plain(second)])
    const call = failure(transport.request(request))
    await vi.waitFor(() => expect(first.calls).toHaveLength(1), 20_000)
    transport.close?.()
    expect((await call).code).toBe('TRANSPORT_CLOSED')
    expect(second.calls).toEqual([])
  },
)

it('a call that changes state is not sent to another node when the caller closes only its connection', async () => {
  const [first, second] = await startPair()
  first.respond = () => undefined
  const socket = webSocket({ url: first.url, auth, WebSocket })
  const transport = fallback([socket, plain(second)])
  const calls = [failure(transport.request(filter)), transport.request(chain)] as const
  await vi.waitFor(() => expect(first.calls).toHaveLength(2), 20_000)
  socket.close()
  expect((await calls[0]).code).toBe('TRANSPORT_CLOSED')
  expect(await calls[1]).toBe('second')
  expect(methodsOf(second)).toEqual([chain.method])
})

describe('a raw transaction', () => {
  it('is sent to the next node if it is unknown whether the first accepted it', async () => {
    const [first, second] = await startPair()
    first.respond = () => undefined
    expect(await fallbackOver([first, second]).request(raw)).toBe('second')
  })

  it('succeeds with its hash if the next node already has it', async () => {
    const [first, second] = await startPair()
    first.respond = () => undefined
    second.respond = ({ method, params }) => {
      if (method === raw.method) return refused(-32000, 'already known')
      return ok(params[0] === rawHash ? { hash: rawHash } : null)
    }
    expect(await fallbackOver([first, second]).request(raw)).toBe(rawHash)
  })

  it.each<[string, NodeResponse]>([
    ['does not have it', ok(null)],
    ['has another transaction', ok({ hash: `0x${'00'.repeat(32)}` })],
    ['does not support the query', refused(-32601)],
  ])('fails with the error of a node that %s', async (_, response) => {
    const [first, second] = await startPair()
    first.respond = () => undefined
    second.respond = ({ method }) => (method === raw.method ? refused(-32000, 'nonce too low') : response)
    const error = await failure(fallbackOver([first, second]).request(raw))
    expect(error.details).toMatchObject({ operation: raw.method, detail: 'nonce too low' })
  })

  it('fails with the error of the first node, without a query', async () => {
    const [first, second] = await startPair()
    first.respond = () => refused(-32000, 'already known')
    await failure(fallbackOver([first, second]).request(raw))
    expect([methodsOf(first), methodsOf(second)]).toEqual([[raw.method], []])
  })

  it('fails with the error of the next node without a query if the first certainly did not accept it', async () => {
    const [first, second] = await startPair()
    first.respond = () => refused(-32005)
    second.respond = () => refused(-32000, 'already known')
    await failure(fallbackOver([first, second]).request(raw))
    expect(methodsOf(second)).toEqual([raw.method])
  })
})

describe('a ranking', () => {
  const after = (ms: number, response: NodeResponse): Promise<NodeResponse> =>
    new Promise((resolve) => {
      setTimeout(() => resolve(response), ms)
    })
  const callOver = (transport: Transport) => () => transport.request({ method: 'eth_blockNumber' })

  it('prefers a fast node to a slow one', async () => {
    const [first, second] = await startPair()
    first.respond = () => after(100, ok('first'))
    const callNode = callOver(fallbackOver([first, second], { rank: { intervalMs: 5 } }))
    await vi.waitFor(async () => expect(await callNode()).toBe('second'), 20_000)
  })

  it('prefers a node that responds to one that does not', async () => {
    const [first, second] = await startPair()
    first.refuseWith = 503
    const callNode = callOver(fallbackOver([first, second], { rank: { intervalMs: 5 } }))
    expect(await callNode()).toBe('second')
    await callNode()
    const before = first.messages.length
    await vi.waitFor(() => expect(first.messages.length).toBe(before), 20_000)
    first.refuseWith = undefined
    first.respond = ({ method }) => ok(method === 'eth_chainId' ? '0x1' : 'first')
    expect(await callNode()).toBe('second')
  })

  it('preserves the order of similar nodes', async () => {
    const [first, second] = await startPair()
    const pings: number[] = []
    const rank = {
      intervalMs: 1,
      weights: { latency: 0, stability: 1 },
      ping: (transport: Transport) => {
        pings.push(1)
        return transport.request(chain)
      },
    }
    const callNode = callOver(fallbackOver([first, second], { rank }))
    await vi.waitFor(async () => {
      expect(await callNode()).toBe('first')
      expect(pings.length).toBeGreaterThan(20)
    }, 20_000)
  })

  it('ignores errors for a missing method', async () => {
    const [first, second] = await startPair()
    const ping = (): Promise<unknown> => new Promise(() => {})
    first.respond = ({ method }) => (method === 'ots_getApiLevel' ? refused(-32601) : ok('first'))
    const transport = fallbackOver([first, second], { rank: { ping } })
    expect(await transport.request({ method: 'ots_getApiLevel' })).toBe('second')
    expect(await callOver(transport)()).toBe('first')
    first.refuseWith = 500
    expect(await callOver(transport)()).toBe('second')
    first.refuseWith = undefined
    expect(await callOver(transport)()).toBe('second')
  })

  it('counts a ping that throws as failed', async () => {
    const [first, second] = await startPair()
    const ping = (transport: Transport): Promise<unknown> => {
      if (transport === broken) throw new Error('no ping')
      return Promise.resolve()
    }
    const broken = plain(first)
    const transport = fallback([broken, plain(second)], { rank: { intervalMs: 1, ping } })
    onTestFinished(() => transport.close?.())
    await vi.waitFor(async () => expect(await callOver(transport)()).toBe('second'), 20_000)
  })

  it('pings only while there are calls, and not after it was closed', async () => {
    const [first, second] = await startPair()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const pings: Promise<unknown>[] = []
    const ping = (transport: Transport): Promise<unknown> => {
      pings.push(transport.request(chain))
      return pings.at(-1) ?? Promise.resolve()
    }
    const transport = fallbackOver([first, second], { rank: { intervalMs: 1, ping } })
    const passIntervals = async (): Promise<void> => {
      for (let interval = 0; interval < 20; interval++) {
        vi.advanceTimersByTime(1)
        await Promise.all(pings)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await passIntervals()
    expect([pings, first.calls]).toEqual([[], []])
    await callOver(transport)()
    await passIntervals()
    expect(pings).toHaveLength(2)
    await callOver(transport)()
    await passIntervals()
    expect(pings).toHaveLength(4)
    expect(methodsOf(first).filter((method) => method === 'eth_chainId')).toHaveLength(2)
    transport.close?.()
    await callOver(transport)()
    await passIntervals()
    expect(pings).toHaveLength(4)
  })

  it.each([
    ['rank.intervalMs', { intervalMs: -1 }],
    ['rank.sampleCount', { sampleCount: 0 }],
    ['rank.weights.latency', { weights: { latency: 2 } }],
  ])('rejects invalid numbers: %s', (option, rank) => {
    expect(() => fallback([{ request: () => Promise.resolve() }], { rank })).toThrow(
      `Invalid value of ${option}: `,
    )
  })
})

describe('a subscription', () => {
  const socketOf = (node: NodeServer): Transport => {
    const transport = webSocket({ url: node.url, auth, WebSocket, reconnect: { baseMs: 1, maxMs: 5 } })
    onTestFinished(() => transport.close())
    return transport
  }

  function recorder() {
    const received: unknown[] = []
    const listener = {
      next: (result: unknown) => received.push(result),
      resumed: () => received.push('resumed'),
      error: (error: unknown) => received.push(error),
    }
    return { received, listener }
  }

  it('uses the first node that supports it, and the next one when it ends', async () => {
    const [calls, first, second] = [await startNodeServer(), await startNodeServer(), await startNodeServer()]
    const transport = fallback([plain(calls), socketOf(first), socketOf(second)])
    const { received, listener } = recorder()
    const subscription = await transport.subscribe?.(['newHeads'], listener)
    first.push('0x1', 'head 1')
    await vi.waitFor(() => expect(received).toEqual(['head 1']), 20_000)
    first.sockets[0]?.close(4401)
    await vi.waitFor(() => expect(received).toEqual(['head 1', 'resumed']), 20_000)
    second.push('0x1', 'head 2')
    await vi.waitFor(() => expect(received).toEqual(['head 1', 'resumed', 'head 2']), 20_000)
    await subscription?.unsubscribe()
    expect(methodsOf(second)).toEqual(['eth_subscribe', 'eth_unsubscribe'])
    expect(methodsOf(first)).toEqual(['eth_subscribe'])
  })

  it('uses the next node if the first rejects it', async () => {
    const [first, second] = [await startNodeServer(), await startNodeServer()]
    first.respond = () => refused(-32601)
    await fallback([socketOf(first), socketOf(second)]).subscribe?.(['newHeads'], recorder().listener)
    expect(methodsOf(second)).toEqual(['eth_subscribe'])
    first.respond = () => refused(-32602)
    await failure(
      fallback([socketOf(first), socketOf(second)]).subscribe?.(['odd'], recorder().listener) ?? chainless,
    )
    expect(methodsOf(second)).toEqual(['eth_subscribe'])
  })

  it('does not return to the node that ended it', async () => {
    const second = await startNodeServer()
    const ended = new FairleadError('TRANSPORT_CLOSED', { operation: '', closeCode: 1000, reason: '' })
    let end = (): void => {}
    const first: Transport = {
      request: () => Promise.resolve(),
      subscribe: async (_, { error }) => {
        end = () => error?.(ended)
        return { unsubscribe: () => Promise.resolve() }
      },
    }
    const { received, listener } = recorder()
    await fallback([first, socketOf(second)]).subscribe?.(['newHeads'], listener)
    end()
    await vi.waitFor(() => expect(received).toEqual(['resumed']), 20_000)
    expect(methodsOf(second)).toEqual(['eth_subscribe'])
  })

  it('ends with the error of the last remaining node', async () => {
    const [first, second] = [await startNodeServer(), await startNodeServer()]
    second.respond = () => refused(-32601)
    const { received, listener } = recorder()
    await fallback([socketOf(first), socketOf(second)]).subscribe?.(['newHeads'], listener)
    first.sockets[0]?.close(4403)
    await vi.waitFor(() => expect(received).toMatchObject([{ details: { rpcCode: -32601 } }]), 20_000)
  })

  it('is not available if no node supports it', async () => {
    const [first] = await startPair()
    expect(fallbackOver([first]).subscribe).toBeUndefined()
    expect(fallbackOver([first]).onConnection).toBeUndefined()
  })

  it('reports the first connection that opens and the last one that closes', async () => {
    const [first, second] = [await startNodeServer(), await startNodeServer()]
    const transports = [socketOf(first), socketOf(second)]
    const events: ConnectionEvent[] = []
    fallback(transports).onConnection?.((event) => events.push(event))
    await transports[1]?.request(chain)
    await transports[0]?.request(chain)
    first.sockets[0]?.close(4401)
    await failure(transports[0]?.request({ method: 'eth_blockNumber' }) ?? chainless)
    await vi.waitFor(async () => {
      expect((await failure(transports[0]?.request(chain) ?? chainless)).code).toBe('TRANSPORT_CLOSED')
    }, 20_000)
    expect(events.map(({ type }) => type)).toEqual(['connect'])
    second.sockets[0]?.close(4403)
    await vi.waitFor(() => expect(events).toHaveLength(2), 20_000)
    expect(events[1]).toEqual({ type: 'disconnect', code: 4403, reason: '', willReconnect: false })
  })

  const chainless = Promise.resolve()
})

it('requires a transport', () => {
  expect(() => fallback([])).toThrow('Invalid value of transports: ')
})
