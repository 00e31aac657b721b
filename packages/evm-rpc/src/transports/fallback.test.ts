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
  type ServerAnswer,
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
  first.answer = () => ok('first')
  second.answer = () => ok('second')
  return [first, second]
}

function over(nodes: readonly NodeServer[], options?: FallbackOptions): Transport {
  const transport = fallback(
    nodes.map((node) => plain(node, 500)),
    options,
  )
  onTestFinished(() => transport.close?.())
  return transport
}

const asked = (node: NodeServer): string[] => node.calls.map(({ method }) => method)

describe('a call', () => {
  it('goes to the first node alone when that answers', async () => {
    const [first, second] = await startPair()
    expect(await over([first, second]).request(chain)).toBe('first')
    expect(second.calls).toEqual([])
  })

  it.each<[string, ServerAnswer]>([
    ['no answer', undefined],
    ['a missing method', refused(-32601)],
    ['a method that is not supported', refused(-32004)],
    ['a limit', refused(-32005)],
    ['an internal error', refused(-32603)],
    ['an unavailable resource', refused(-32002)],
    ['pruned history', refused(4444)],
    ['no result', {} as ServerAnswer],
  ])('moves on after %s', async (_, answer) => {
    const [first, second] = await startPair()
    first.answer = () => answer
    expect(await over([first, second]).request(chain)).toBe('second')
  })

  it.each([401, 403, 404, 429, 500, 503])('moves on after HTTP %i', async (status) => {
    const [first, second] = await startPair()
    first.refuseWith = status
    expect(await over([first, second]).request(chain)).toBe('second')
  })

  it('moves on when there is no node, or none in time', async () => {
    const [first, second] = await startPair()
    first.answer = () => new Promise(() => {})
    expect(await over([first, second]).request(chain)).toBe('second')
    await first.stop()
    expect(await over([first, second]).request(chain)).toBe('second')
  })

  it.each<[string, ServerAnswer]>([
    ['a revert', refused(3, 'execution reverted', '0x')],
    ['a revert as an internal error', refused(-32603, 'VM Exception: reverted')],
    ['wrong parameters', refused(-32602)],
    ['a server error', refused(-32000, 'nonce too low')],
    ['a rejected transaction', refused(-32003)],
  ])('stays after %s', async (_, answer) => {
    const [first, second] = await startPair()
    first.answer = () => answer
    expect((await failure(over([first, second]).request(chain))).code).toBe('RPC_ERROR')
    expect(second.calls).toEqual([])
  })

  it('fails with the error of the last node', async () => {
    const [first, second] = await startPair()
    first.answer = () => refused(-32601)
    second.answer = () => refused(-32005)
    expect((await failure(over([first, second]).request(chain))).context).toMatchObject({ rpcCode: -32005 })
  })

  it('ends with its signal', async () => {
    const [first, second] = await startPair()
    const leave = new AbortController()
    const reason = new Error('enough')
    first.answer = () => {
      leave.abort(reason)
      return refused(-32005)
    }
    await expect(over([first, second]).request(chain, { signal: leave.signal })).rejects.toBe(reason)
    expect(second.calls).toEqual([])
  })

  it('moves on for what the caller decides', async () => {
    const [first, second] = await startPair()
    first.answer = () => refused(-32000, 'header not found')
    const transport = over([first, second], {
      shouldFallThrough: (error) => String(error).includes('header'),
    })
    expect(await transport.request(chain)).toBe('second')
    first.answer = () => refused(-32601)
    await failure(transport.request(chain))
  })

  it('moves on alone out of a batch', async () => {
    const [first, second] = await startPair()
    first.answer = ({ method }) => (method === 'eth_chainId' ? ok('first') : refused(-32601))
    const outcomes = await over([first, second]).batch?.([{ method: 'ots_getApiLevel' }, chain])
    expect(outcomes).toMatchObject([{ value: 'second' }, { value: 'first' }])
    expect(asked(second)).toEqual(['ots_getApiLevel'])
  })
})

describe('a call that acts', () => {
  it('stays when the node may have done it', async () => {
    const [first, second] = await startPair()
    first.answer = () => undefined
    expect((await failure(over([first, second]).request(filter))).code).toBe('TRANSPORT_FAILED')
    first.answer = () => refused(-32603)
    await failure(over([first, second]).request(filter))
    first.refuseWith = 502
    await failure(over([first, second]).request(filter))
    expect(second.calls).toEqual([])
  })

  it('moves on when it certainly did not', async () => {
    const [first, second] = await startPair()
    first.answer = () => refused(-32601)
    const transport = over([first, second])
    expect(await transport.request(filter)).toBe('second')
    first.refuseWith = 429
    expect(await transport.request(filter)).toBe('second')
    const [gone] = await startPair()
    await gone.stop()
    expect(await over([gone, second]).request(filter)).toBe('second')
  })

  it('moves on when it never left', async () => {
    const [first, second] = await startPair()
    const full = rateLimit(plain(first), { perSecond: 1, burst: 1, maxWaiting: 0 })
    const transport = fallback([full, plain(second)])
    expect(await transport.request(filter)).toBe('first')
    expect(await transport.request(filter)).toBe('second')
  })
})

it('a call that acts moves on after a connect timeout', async () => {
  const [first, second] = await startPair()
  const cause = { code: 'UND_ERR_CONNECT_TIMEOUT' }
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
  const unreachable = http({ url: first.url, auth, fetch })
  expect(await fallback([unreachable, plain(second)]).request(filter)).toBe('second')
})

it.each(['EHOSTUNREACH', 'ENETUNREACH'])(
  'a call that acts stays after %s, which also ends connections that were made',
  async (code) => {
    const [first, second] = await startPair()
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: { code } }))
    const broken = http({ url: first.url, auth, fetch })
    await failure(fallback([broken, plain(second)]).request(filter))
    expect(second.calls).toEqual([])
  },
)

it.each([filter, chain, raw])('$method goes nowhere else when it is closed on its way', async (request) => {
  const [first, second] = await startPair()
  first.answer = () => undefined
  const live = webSocket({ url: first.url, auth, WebSocket })
  const transport = fallback([live, plain(second)])
  const call = failure(transport.request(request))
  await vi.waitFor(() => expect(first.calls).toHaveLength(1), 20_000)
  transport.close?.()
  expect((await call).code).toBe('TRANSPORT_CLOSED')
  expect(second.calls).toEqual([])
})

it('a call that acts goes nowhere else when its connection alone is closed by the caller', async () => {
  const [first, second] = await startPair()
  first.answer = () => undefined
  const live = webSocket({ url: first.url, auth, WebSocket })
  const transport = fallback([live, plain(second)])
  const calls = [failure(transport.request(filter)), transport.request(chain)] as const
  await vi.waitFor(() => expect(first.calls).toHaveLength(2), 20_000)
  live.close()
  expect((await calls[0]).code).toBe('TRANSPORT_CLOSED')
  expect(await calls[1]).toBe('second')
  expect(asked(second)).toEqual([chain.method])
})

describe('a raw transaction', () => {
  it('is sent to the next node when it is not known whether the first took it', async () => {
    const [first, second] = await startPair()
    first.answer = () => undefined
    expect(await over([first, second]).request(raw)).toBe('second')
  })

  it('succeeds with its hash when the next node has it already', async () => {
    const [first, second] = await startPair()
    first.answer = () => undefined
    second.answer = ({ method, params }) => {
      if (method === raw.method) return refused(-32000, 'already known')
      return ok(params[0] === rawHash ? { hash: rawHash } : null)
    }
    expect(await over([first, second]).request(raw)).toBe(rawHash)
  })

  it.each<[string, ServerAnswer]>([
    ['does not have it', ok(null)],
    ['has another', ok({ hash: `0x${'00'.repeat(32)}` })],
    ['does not say', refused(-32601)],
  ])('fails with the refusal of a node that %s', async (_, answer) => {
    const [first, second] = await startPair()
    first.answer = () => undefined
    second.answer = ({ method }) => (method === raw.method ? refused(-32000, 'nonce too low') : answer)
    const error = await failure(over([first, second]).request(raw))
    expect(error.context).toMatchObject({ operation: raw.method, detail: 'nonce too low' })
  })

  it('is refused by the first node as it is, without a question', async () => {
    const [first, second] = await startPair()
    first.answer = () => refused(-32000, 'already known')
    await failure(over([first, second]).request(raw))
    expect([asked(first), asked(second)]).toEqual([[raw.method], []])
  })

  it('is refused by the next node without a question when the first certainly did not take it', async () => {
    const [first, second] = await startPair()
    first.answer = () => refused(-32005)
    second.answer = () => refused(-32000, 'already known')
    await failure(over([first, second]).request(raw))
    expect(asked(second)).toEqual([raw.method])
  })
})

describe('a ranking', () => {
  const after = (ms: number, answer: ServerAnswer): Promise<ServerAnswer> =>
    new Promise((resolve) => {
      setTimeout(() => resolve(answer), ms)
    })
  const turns = (transport: Transport) => () => transport.request({ method: 'eth_blockNumber' })

  it('asks a fast node before a slow one', async () => {
    const [first, second] = await startPair()
    first.answer = () => after(100, ok('first'))
    const ask = turns(over([first, second], { rank: { intervalMs: 5 } }))
    await vi.waitFor(async () => expect(await ask()).toBe('second'), 20_000)
  })

  it('asks a node that answers before one that does not', async () => {
    const [first, second] = await startPair()
    first.refuseWith = 503
    const ask = turns(over([first, second], { rank: { intervalMs: 5 } }))
    expect(await ask()).toBe('second')
    await ask()
    const before = first.messages.length
    await vi.waitFor(() => expect(first.messages.length).toBe(before), 20_000)
    first.refuseWith = undefined
    first.answer = ({ method }) => ok(method === 'eth_chainId' ? '0x1' : 'first')
    expect(await ask()).toBe('second')
  })

  it('leaves nodes that are alike as they are', async () => {
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
    const ask = turns(over([first, second], { rank }))
    await vi.waitFor(async () => {
      expect(await ask()).toBe('first')
      expect(pings.length).toBeGreaterThan(20)
    }, 20_000)
  })

  it('is not shaken by a method that a node lacks', async () => {
    const [first, second] = await startPair()
    const ping = (): Promise<unknown> => new Promise(() => {})
    first.answer = ({ method }) => (method === 'ots_getApiLevel' ? refused(-32601) : ok('first'))
    const transport = over([first, second], { rank: { ping } })
    expect(await transport.request({ method: 'ots_getApiLevel' })).toBe('second')
    expect(await turns(transport)()).toBe('first')
    first.refuseWith = 500
    expect(await turns(transport)()).toBe('second')
    first.refuseWith = undefined
    expect(await turns(transport)()).toBe('second')
  })

  it('takes a ping that throws for one that fails', async () => {
    const [first, second] = await startPair()
    const ping = (transport: Transport): Promise<unknown> => {
      if (transport === broken) throw new Error('no ping')
      return Promise.resolve()
    }
    const broken = plain(first)
    const transport = fallback([broken, plain(second)], { rank: { intervalMs: 1, ping } })
    onTestFinished(() => transport.close?.())
    await vi.waitFor(async () => expect(await turns(transport)()).toBe('second'), 20_000)
  })

  it('pings only while there are calls, and not after it was closed', async () => {
    const [first, second] = await startPair()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const pings: Promise<unknown>[] = []
    const ping = (one: Transport): Promise<unknown> => {
      pings.push(one.request(chain))
      return pings.at(-1) ?? Promise.resolve()
    }
    const transport = over([first, second], { rank: { intervalMs: 1, ping } })
    const passIntervals = async (): Promise<void> => {
      for (let interval = 0; interval < 20; interval++) {
        vi.advanceTimersByTime(1)
        await Promise.all(pings)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await passIntervals()
    expect([pings, first.calls]).toEqual([[], []])
    await turns(transport)()
    await passIntervals()
    expect(pings).toHaveLength(2)
    await turns(transport)()
    await passIntervals()
    expect(pings).toHaveLength(4)
    expect(asked(first).filter((method) => method === 'eth_chainId')).toHaveLength(2)
    transport.close?.()
    await turns(transport)()
    await passIntervals()
    expect(pings).toHaveLength(4)
  })

  it.each([
    ['rank.intervalMs', { intervalMs: -1 }],
    ['rank.sampleCount', { sampleCount: 0 }],
    ['rank.weights.latency', { weights: { latency: 2 } }],
  ])('refuses numbers that cannot work: %s', (option, rank) => {
    expect(() => fallback([{ request: () => Promise.resolve() }], { rank })).toThrow(`"option":"${option}"`)
  })
})

describe('a subscription', () => {
  const live = (node: NodeServer): Transport => {
    const transport = webSocket({ url: node.url, auth, WebSocket, reconnect: { baseMs: 1, maxMs: 5 } })
    onTestFinished(() => transport.close())
    return transport
  }

  function recorder() {
    const heard: unknown[] = []
    const listener = {
      next: (result: unknown) => heard.push(result),
      resumed: () => heard.push('resumed'),
      error: (error: unknown) => heard.push(error),
    }
    return { heard, listener }
  }

  it('goes to the first node that has any, and moves on when that ends', async () => {
    const [calls, first, second] = [await startNodeServer(), await startNodeServer(), await startNodeServer()]
    const transport = fallback([plain(calls), live(first), live(second)])
    const { heard, listener } = recorder()
    const subscription = await transport.subscribe?.(['newHeads'], listener)
    first.push('0x1', 'head 1')
    await vi.waitFor(() => expect(heard).toEqual(['head 1']), 20_000)
    first.sockets[0]?.close(4401)
    await vi.waitFor(() => expect(heard).toEqual(['head 1', 'resumed']), 20_000)
    second.push('0x1', 'head 2')
    await vi.waitFor(() => expect(heard).toEqual(['head 1', 'resumed', 'head 2']), 20_000)
    await subscription?.unsubscribe()
    expect(asked(second)).toEqual(['eth_subscribe', 'eth_unsubscribe'])
    expect(asked(first)).toEqual(['eth_subscribe'])
  })

  it('goes to the next node when the first does not take it', async () => {
    const [first, second] = [await startNodeServer(), await startNodeServer()]
    first.answer = () => refused(-32601)
    await fallback([live(first), live(second)]).subscribe?.(['newHeads'], recorder().listener)
    expect(asked(second)).toEqual(['eth_subscribe'])
    first.answer = () => refused(-32602)
    await failure(
      fallback([live(first), live(second)]).subscribe?.(['odd'], recorder().listener) ?? chainless,
    )
    expect(asked(second)).toEqual(['eth_subscribe'])
  })

  it('does not come back to the node that ended it', async () => {
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
    const { heard, listener } = recorder()
    await fallback([first, live(second)]).subscribe?.(['newHeads'], listener)
    end()
    await vi.waitFor(() => expect(heard).toEqual(['resumed']), 20_000)
    expect(asked(second)).toEqual(['eth_subscribe'])
  })

  it('ends with the error of the last node that is left', async () => {
    const [first, second] = [await startNodeServer(), await startNodeServer()]
    second.answer = () => refused(-32601)
    const { heard, listener } = recorder()
    await fallback([live(first), live(second)]).subscribe?.(['newHeads'], listener)
    first.sockets[0]?.close(4403)
    await vi.waitFor(() => expect(heard).toMatchObject([{ context: { rpcCode: -32601 } }]), 20_000)
  })

  it('is not there when no node has any', async () => {
    const [first] = await startPair()
    expect(over([first]).subscribe).toBeUndefined()
    expect(over([first]).onConnection).toBeUndefined()
  })

  it('tells of the first connection that comes and of the last one that goes', async () => {
    const [first, second] = [await startNodeServer(), await startNodeServer()]
    const transports = [live(first), live(second)]
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

it('needs a transport', () => {
  expect(() => fallback([])).toThrow('"option":"transports"')
})
