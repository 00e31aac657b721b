import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { ConnectionEvent } from '../transport.ts'
import { failure, type NodeServer, ok, type NodeResponse, startNodeServer } from './testing/node-server.ts'
import { webSocket, type WebSocketOptions, type WebSocketTransport } from './web-socket.ts'

const token = 's3cr3t-t0k3n'
const auth: WebSocketOptions['auth'] = { kind: 'token', token }
const shortBackoff = { baseMs: 1, maxMs: 20 }

function open(node: NodeServer, options: Partial<WebSocketOptions> = {}): WebSocketTransport {
  const transport = webSocket({ url: node.url, auth, reconnect: shortBackoff, ...options })
  onTestFinished(() => transport.close())
  return transport
}

function eventsOf(transport: WebSocketTransport): ConnectionEvent[] {
  const events: ConnectionEvent[] = []
  transport.onConnection((event) => events.push(event))
  return events
}

/** A response that the test resolves. */
function later(): { readonly promise: Promise<NodeResponse>; respond: (response: NodeResponse) => void } {
  let respond: (response: NodeResponse) => void = () => {}
  const promise = new Promise<NodeResponse>((resolve) => {
    respond = resolve
  })
  return { promise, respond: (response) => respond(response) }
}

/** The WebSocket class of the runtime, which counts connection attempts. */
function countedWebSocket() {
  let attempts = 0
  class Counted extends globalThis.WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      attempts++
    }
  }
  return { WebSocket: Counted, attempts: () => attempts }
}

/** Fails to open, and reports it like the WebSocket of Node.js 22. */
class ClosesSilently extends EventTarget {
  binaryType = 'blob'

  constructor() {
    super()
    setImmediate(() => this.dispatchEvent(new Event('error')))
  }

  send(): void {}

  close(): void {}
}

const chain = { method: 'eth_chainId' }
const height = { method: 'eth_blockNumber' }
const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }

describe('a connection', () => {
  it('is opened by the first call, at the path with the token, and shared by all calls', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    expect(node.handshakes).toEqual([])
    expect(await Promise.all([transport.request(chain), transport.request(height)])).toEqual(['0x1', '0x1'])
    expect(node.handshakes.map(({ path }) => path)).toEqual([`/ws/${token}`])
    expect(node.calls).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] },
      { jsonrpc: '2.0', id: 2, method: 'eth_blockNumber', params: [] },
    ])
  })

  it.each([
    ['the class of the runtime', undefined],
    ['the class of ws', WebSocket],
  ])('sends basic credentials in a header with %s', async (_, webSocketClass) => {
    const node = await startNodeServer()
    const basic: WebSocketOptions['auth'] = { kind: 'basic', username: 'user', password: 'p:w' }
    const transport = open(node, { auth: basic, WebSocket: webSocketClass })
    await transport.request(chain)
    expect(node.handshakes[0]?.path).toBe('/ws')
    expect(node.handshakes[0]?.headers.authorization).toBe(`Basic ${btoa('user:p:w')}`)
  })

  it('reports when it opens and closes', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    const events = eventsOf(transport)
    await transport.request(chain)
    node.sockets[0]?.close(1012, 'restart')
    await vi.waitFor(() => expect(events).toHaveLength(3), 20_000)
    transport.close()
    expect(events).toEqual([
      { type: 'connect' },
      { type: 'disconnect', code: 1012, reason: 'restart', willReconnect: true },
      { type: 'connect' },
      { type: 'disconnect', code: 1000, reason: 'closed by the caller', willReconnect: false },
    ])
  })

  it('notifies all listeners, also after one that throws', async () => {
    const node = await startNodeServer()
    const faults: unknown[] = []
    vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((run) => {
      try {
        run()
      } catch (error) {
        faults.push(error)
      }
    })
    const transport = open(node)
    const fault = new Error('of the listener')
    transport.onConnection(() => {
      throw fault
    })
    const events = eventsOf(transport)
    await transport.request(chain)
    transport.close()
    expect(events.map(({ type }) => type)).toEqual(['connect', 'disconnect'])
    expect(faults).toEqual([fault, fault])
  })

  it('is retried until the server is available', async () => {
    const node = await startNodeServer()
    await node.stop()
    const { attempts, ...options } = countedWebSocket()
    const transport = open(node, options)
    const call = transport.request(chain)
    await vi.waitFor(() => expect(attempts()).toBeGreaterThan(2), 20_000)
    const port = Number(new URL(node.url).port)
    await startNodeServer(port)
    expect(await call).toBe('0x1')
  })

  it('fails after the maximum number of attempts', async () => {
    const node = await startNodeServer()
    await node.stop()
    const transport = open(node, { reconnect: { ...shortBackoff, attempts: 2 } })
    const error = await failure(transport.request(chain))
    expect(error.code).toBe('TRANSPORT_CLOSED')
    expect(error.details).toMatchObject({ operation: 'eth_chainId', closeCode: 1006 })
    expect((await failure(transport.request(chain))).code).toBe('TRANSPORT_CLOSED')
  })

  it('fails also with a class that emits an error but no close event', async () => {
    const transport = webSocket({
      url: 'http://127.0.0.1:1',
      auth,
      reconnect: { ...shortBackoff, attempts: 2 },
      WebSocket: ClosesSilently,
    })
    onTestFinished(() => transport.close())
    const error = await failure(transport.request(chain))
    expect(error).toMatchObject({ code: 'TRANSPORT_CLOSED', details: { closeCode: 1006 } })
  })

  it('resets the attempt count after received data', async () => {
    const node = await startNodeServer()
    const transport = open(node, { reconnect: { ...shortBackoff, attempts: 1 } })
    for (let round = 0; round < 4; round++) {
      expect(await transport.request(chain)).toBe('0x1')
      node.sockets.at(-1)?.terminate()
    }
    expect(await transport.request(chain)).toBe('0x1')
  })

  it.each([1000, 1001, 1011, 1012, 1013, 4000])('reconnects after %i', async (code) => {
    const node = await startNodeServer()
    const transport = open(node)
    await transport.request(chain)
    node.sockets[0]?.close(code)
    await vi.waitFor(() => expect(node.sockets).toHaveLength(2), 20_000)
    expect(await transport.request(chain)).toBe('0x1')
  })

  it.each([1008, 1009, 3000, 3003, 4401, 4403])('does not reconnect after %i', async (code) => {
    const node = await startNodeServer()
    const transport = open(node)
    const events = eventsOf(transport)
    const errors: unknown[] = []
    await transport.subscribe(['newHeads'], { next: () => {}, error: (error) => errors.push(error) })
    node.respond = () => undefined
    const waiting = failure(transport.request(chain))
    const sending = failure(transport.request(raw))
    await vi.waitFor(() => expect(node.calls).toHaveLength(3), 20_000)
    node.sockets[0]?.close(code, `no more ${token}`)
    const closed = { closeCode: code, reason: 'no more ***' }
    // It was sent, so it is unknown whether it was executed.
    expect((await sending).code).toBe('TRANSPORT_FAILED')
    // This call waited for another connection, which will not be opened.
    expect(await waiting).toMatchObject({ code: 'TRANSPORT_CLOSED', details: closed })
    expect(await failure(transport.request(chain))).toMatchObject({
      code: 'TRANSPORT_CLOSED',
      details: closed,
    })
    expect(errors).toMatchObject([{ code: 'TRANSPORT_CLOSED', details: closed }])
    expect(events.at(-1)).toEqual({ type: 'disconnect', code, reason: 'no more ***', willReconnect: false })
    expect(node.sockets).toHaveLength(1)
  })

  it('reconnects with a longer delay after 4429', async () => {
    const node = await startNodeServer()
    const waits: number[] = []
    const transport = open(node, { reconnect: { baseMs: 1, maxMs: 600 }, WebSocket })
    await transport.request(chain)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    node.sockets[0]?.close(4429)
    await vi.waitFor(() => expect(node.sockets).toHaveLength(2), 20_000)
    waits.push(...timers.mock.calls.map(([, ms]) => ms ?? 0))
    expect(Math.max(...waits.filter((ms) => ms < 600))).toBeGreaterThanOrEqual(300)
  })

  it('is rejected permanently when ws reports 401', async () => {
    const node = await startNodeServer()
    node.refuseWith = 401
    const transport = open(node, { WebSocket })
    expect(await failure(transport.request(chain))).toMatchObject({
      code: 'TRANSPORT_CLOSED',
      details: { reason: 'Unexpected server response: 401' },
    })
    expect(node.handshakes).toHaveLength(1)
  })

  it('is probed when it is inactive, and replaced without a response', async () => {
    const node = await startNodeServer()
    const transport = open(node, { keepAlive: { intervalMs: 30, timeoutMs: 400 } })
    await transport.request(height)
    await vi.waitFor(() => expect(node.calls.length).toBeGreaterThan(3), 20_000)
    expect(node.calls.slice(1).every(({ method }) => method === 'eth_chainId')).toBe(true)
    expect(node.sockets).toHaveLength(1)
    node.respond = () => undefined
    const events = eventsOf(transport)
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toEqual(['disconnect', 'connect']), 20_000)
    expect(events[0]).toMatchObject({ code: 1006, reason: 'no answer', willReconnect: true })
    expect(node.sockets).toHaveLength(2)
  })
})

describe('a call', () => {
  it('can receive responses in any order', async () => {
    const node = await startNodeServer()
    const first = later()
    node.respond = ({ method }) => (method === 'eth_chainId' ? first.promise : ok('0x2'))
    const transport = open(node)
    const chainId = transport.request(chain)
    expect(await transport.request(height)).toBe('0x2')
    first.respond(ok('0x1'))
    expect(await chainId).toBe('0x1')
  })

  it('preserves code, message and data of an error object, without secrets', async () => {
    const node = await startNodeServer()
    const data = { deep: [`/ws/${token}`] }
    node.respond = () => ({ error: { code: 3, message: `execution reverted ${token}`, data } })
    expect((await failure(open(node).request({ method: 'eth_call', params: [] }))).details).toEqual({
      operation: 'eth_call',
      rpcCode: 3,
      detail: 'execution reverted ***',
      data: { deep: ['/ws/***'] },
      status: 200,
    })
  })

  it('is invalid if the response has no result and no error', async () => {
    const node = await startNodeServer()
    node.respond = () => ({}) as NodeResponse
    expect((await failure(open(node).request(chain))).code).toBe('DECODE_INVALID')
  })

  it('ignores unrelated messages', async () => {
    const node = await startNodeServer()
    node.respond = (_, socket) => {
      for (const text of ['{', 'null', '1', '[]', '[null]', '{"id":99,"result":1}', '{"method":"x"}'])
        socket?.send(text)
      socket?.send(
        JSON.stringify({ method: 'eth_subscription', params: { subscription: '0xff', result: 1 } }),
      )
      return ok('0x1')
    }
    expect(await open(node).request(chain)).toBe('0x1')
  })

  it('gets an error without an id if it is the only one', async () => {
    const node = await startNodeServer()
    node.respond = (_, socket) => {
      socket?.send(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }),
      )
      return undefined
    }
    expect((await failure(open(node).request(chain))).details).toMatchObject({ rpcCode: -32700 })
  })

  it('times out with and without a connection', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    await transport.request(chain)
    node.respond = () => undefined
    expect((await failure(transport.request(chain, { timeoutMs: 40 }))).details).toMatchObject({
      attempt: 1,
      reason: 'no answer',
    })
    const events = eventsOf(transport)
    await node.stop()
    await vi.waitFor(() => expect(events).toHaveLength(1), 20_000)
    const unsent = await failure(transport.request(chain, { timeoutMs: 30 }))
    expect(unsent.code).toBe('TRANSPORT_TIMEOUT')
    expect(unsent.details).toMatchObject({
      attempt: 0,
      timeoutMs: 30,
      reason: expect.stringMatching(/^no connection( after \d+ attempts?)?, the last ended with 1006/),
    })
  })

  it('ends with the reason of its signal', async () => {
    const node = await startNodeServer()
    node.respond = () => undefined
    const transport = open(node)
    const controller = new AbortController()
    const reason = new Error('enough')
    const call = transport.request(chain, { signal: controller.signal })
    await vi.waitFor(() => expect(node.calls).toHaveLength(1), 20_000)
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await expect(transport.request(chain, { signal: controller.signal })).rejects.toBe(reason)
    expect(node.calls).toHaveLength(1)
  })

  it('is retried once after a broken connection if it is idempotent', async () => {
    const node = await startNodeServer()
    node.respond = (_, socket) => {
      socket?.terminate()
      return undefined
    }
    const transport = open(node)
    expect(await failure(transport.request(chain))).toMatchObject({
      code: 'TRANSPORT_FAILED',
      details: { attempt: 2 },
    })
    expect(node.calls).toHaveLength(2)
  })

  it('fails with its connection if it is not idempotent', async () => {
    const node = await startNodeServer()
    node.respond = (call, socket) => {
      if (call.method !== 'eth_sendRawTransaction') return ok('0x1')
      socket?.terminate()
      return undefined
    }
    const transport = open(node)
    expect(await failure(transport.request(raw))).toMatchObject({
      code: 'TRANSPORT_FAILED',
      details: { attempt: 1 },
    })
    expect(await transport.request(chain)).toBe('0x1')
    expect(node.calls.filter(({ method }) => method === raw.method)).toHaveLength(1)
  })

  it('is sent after a reconnect if it was not sent before and is not idempotent', async () => {
    const node = await startNodeServer()
    await node.stop()
    const { attempts, ...options } = countedWebSocket()
    const transport = open(node, options)
    const call = transport.request(raw)
    await vi.waitFor(() => expect(attempts()).toBeGreaterThan(1), 20_000)
    const again = await startNodeServer(Number(new URL(node.url).port))
    expect(await call).toBe('0x1')
    expect(again.calls).toHaveLength(1)
  })

  it('has a timeout within the maximum timer delay', async () => {
    const node = await startNodeServer()
    const error = await failure(open(node).request(chain, { timeoutMs: Infinity }))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', details: { option: 'timeoutMs' } })
    expect(node.calls).toEqual([])
  })

  it('ends with the transport', async () => {
    const node = await startNodeServer()
    node.respond = () => undefined
    const { attempts, ...options } = countedWebSocket()
    const transport = open(node, options)
    const call = failure(transport.request(raw))
    await vi.waitFor(() => expect(node.calls).toHaveLength(1), 20_000)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    transport.close()
    transport.close()
    expect(await call).toMatchObject({ code: 'TRANSPORT_CLOSED', details: { closeCode: 1000 } })
    expect((await failure(transport.request(chain))).code).toBe('TRANSPORT_CLOSED')
    await vi.waitFor(() => expect(node.sockets[0]?.readyState).toBe(WebSocket.CLOSED), 20_000)
    // Enough time for another attempt, which must not happen.
    vi.advanceTimersByTime(60_000)
    expect([attempts(), node.sockets.length]).toEqual([1, 1])
  })
})

describe('several calls', () => {
  it('are sent in one message, and each has its own outcome', async () => {
    const node = await startNodeServer()
    node.respond = ({ method }) =>
      method === 'eth_chainId' ? ok('0x1') : { error: { code: -32601, message: 'no such method' } }
    const outcomes = await open(node).batch([chain, { method: 'eth_foo' }])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: '0x1' },
      { status: 'rejected', reason: { details: { operation: 'eth_foo', rpcCode: -32601 } } },
    ])
    expect(node.messages).toHaveLength(1)
  })

  it('are invalid individually if a response is missing', async () => {
    const node = await startNodeServer()
    node.respond = ({ method }) => (method === 'eth_chainId' ? ok('0x1') : undefined)
    expect(await open(node).batch([height, chain])).toMatchObject([
      { status: 'rejected', reason: { code: 'DECODE_INVALID' } },
      { status: 'fulfilled', value: '0x1' },
    ])
  })

  it('fail together with an error without an id', async () => {
    const node = await startNodeServer()
    node.respond = (_, socket) => {
      socket?.send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too many' } }))
      return undefined
    }
    const refused = { status: 'rejected', reason: { details: { rpcCode: -32600 } } }
    expect(await open(node).batch([height, chain])).toMatchObject([refused, refused])
  })

  it('are retried only if all are idempotent', async () => {
    const node = await startNodeServer()
    let broken = 0
    node.respond = (_, socket) => {
      if (broken > 1) return ok('0x1')
      broken++
      socket?.terminate()
      return undefined
    }
    const transport = open(node)
    expect(await transport.batch([chain, height])).toMatchObject([{ value: '0x1' }, { value: '0x1' }])
    broken = 0
    const lost = { status: 'rejected', reason: { code: 'TRANSPORT_FAILED' } }
    expect(await transport.batch([chain, raw])).toMatchObject([lost, lost])
  })

  it('can be empty', async () => {
    const node = await startNodeServer()
    expect(await open(node).batch([])).toEqual([])
    expect(node.handshakes).toEqual([])
  })
})

describe('a secret', () => {
  it.each([
    ['the class of the runtime', undefined],
    ['the class of ws', WebSocket],
  ])('appears in no error with %s', async (_, webSocketClass) => {
    const node = await startNodeServer()
    node.refuseWith = 500
    const transport = open(node, { reconnect: { ...shortBackoff, attempts: 1 }, WebSocket: webSocketClass })
    const errors = [await failure(transport.request(chain)), await failure(transport.request(raw))]
    class Leaky {
      constructor(url: string) {
        throw new SyntaxError(`Invalid URL: ${url}`)
      }
      send(): void {}
      close(): void {}
    }
    const leaky = open(node, { reconnect: { ...shortBackoff, attempts: 0 }, WebSocket: Leaky })
    errors.push(await failure(leaky.request(chain)))
    for (const error of errors) {
      const forms = [String(error), error.stack, inspect(error, { depth: null, showHidden: true })]
      expect(forms.join('\n')).not.toContain(token)
    }
  })
})

describe('options', () => {
  const url = 'https://node.example.com'
  it.each<[string, Partial<WebSocketOptions>]>([
    ['url', { url: 'node.example.com' }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['reconnect.attempts', { reconnect: { attempts: Number.NaN } }],
    ['reconnect.maxMs', { reconnect: { maxMs: Infinity } }],
    ['keepAlive.intervalMs', { keepAlive: { intervalMs: Infinity } }],
  ])('are rejected by name: %s', (option, wrong) => {
    expect(() => webSocket({ url, auth, ...wrong })).toThrow(`Invalid value of ${option}: `)
  })

  it('name the class if the runtime has none', () => {
    vi.stubGlobal('WebSocket', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => webSocket({ url, auth })).toThrow('Invalid value of WebSocket: ')
    webSocket({ url, auth, WebSocket }).close()
  })

  it('name the credential if the runtime cannot send it', () => {
    vi.stubGlobal('process', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const basic: WebSocketOptions['auth'] = { kind: 'basic', username: 'user', password: 'password' }
    expect(() => webSocket({ url, auth: basic })).toThrow('Invalid value of auth.kind: ')
    webSocket({ url, auth }).close()
  })
})
