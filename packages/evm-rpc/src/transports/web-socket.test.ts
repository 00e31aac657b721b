import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { ConnectionEvent } from '../transport.ts'
import { failure, type NodeServer, ok, type ServerAnswer, startNodeServer } from './testing/node-server.ts'
import { webSocket, type WebSocketOptions, type WebSocketTransport } from './web-socket.ts'

const token = 's3cr3t-t0k3n'
const auth: WebSocketOptions['auth'] = { kind: 'token', token }
const quick = { baseMs: 1, maxMs: 20 }

function open(node: NodeServer, options: Partial<WebSocketOptions> = {}): WebSocketTransport {
  const transport = webSocket({ url: node.url, auth, reconnect: quick, ...options })
  onTestFinished(() => transport.close())
  return transport
}

function eventsOf(transport: WebSocketTransport): ConnectionEvent[] {
  const events: ConnectionEvent[] = []
  transport.onConnection((event) => events.push(event))
  return events
}

/** A response that the test resolves. */
function later(): { readonly promise: Promise<ServerAnswer>; give: (answer: ServerAnswer) => void } {
  let give: (answer: ServerAnswer) => void = () => {}
  const promise = new Promise<ServerAnswer>((resolve) => {
    give = resolve
  })
  return { promise, give: (answer) => give(answer) }
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
  it('is opened by the first call, at the path of the token, and shared by all', async () => {
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
  ])('carries basic credentials in a header with %s', async (_, given) => {
    const node = await startNodeServer()
    const basic: WebSocketOptions['auth'] = { kind: 'basic', username: 'user', password: 'p:w' }
    const transport = open(node, { auth: basic, WebSocket: given })
    await transport.request(chain)
    expect(node.handshakes[0]?.path).toBe('/ws')
    expect(node.handshakes[0]?.headers.authorization).toBe(`Basic ${btoa('user:p:w')}`)
  })

  it('tells when it comes and goes', async () => {
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

  it('tells everybody, also after a listener that throws', async () => {
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

  it('is tried until the server is there', async () => {
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

  it('is given up after the attempts that are allowed', async () => {
    const node = await startNodeServer()
    await node.stop()
    const transport = open(node, { reconnect: { ...quick, attempts: 2 } })
    const error = await failure(transport.request(chain))
    expect(error.code).toBe('TRANSPORT_CLOSED')
    expect(error.context).toMatchObject({ operation: 'eth_chainId', closeCode: 1006 })
    expect((await failure(transport.request(chain))).code).toBe('TRANSPORT_CLOSED')
  })

  it('is given up also with a class that tells of an error and of no close', async () => {
    const transport = webSocket({
      url: 'http://127.0.0.1:1',
      auth,
      reconnect: { ...quick, attempts: 2 },
      WebSocket: ClosesSilently,
    })
    onTestFinished(() => transport.close())
    const error = await failure(transport.request(chain))
    expect(error).toMatchObject({ code: 'TRANSPORT_CLOSED', context: { closeCode: 1006 } })
  })

  it('counts attempts anew once something was heard', async () => {
    const node = await startNodeServer()
    const transport = open(node, { reconnect: { ...quick, attempts: 1 } })
    for (let round = 0; round < 4; round++) {
      expect(await transport.request(chain)).toBe('0x1')
      node.sockets.at(-1)?.terminate()
    }
    expect(await transport.request(chain)).toBe('0x1')
  })

  it.each([1000, 1001, 1011, 1012, 1013, 4000])('comes back after %i', async (code) => {
    const node = await startNodeServer()
    const transport = open(node)
    await transport.request(chain)
    node.sockets[0]?.close(code)
    await vi.waitFor(() => expect(node.sockets).toHaveLength(2), 20_000)
    expect(await transport.request(chain)).toBe('0x1')
  })

  it.each([1008, 1009, 3000, 3003, 4401, 4403])('does not come back after %i', async (code) => {
    const node = await startNodeServer()
    const transport = open(node)
    const events = eventsOf(transport)
    const errors: unknown[] = []
    await transport.subscribe(['newHeads'], { next: () => {}, error: (error) => errors.push(error) })
    node.answer = () => undefined
    const waiting = failure(transport.request(chain))
    const sending = failure(transport.request(raw))
    await vi.waitFor(() => expect(node.calls).toHaveLength(3), 20_000)
    node.sockets[0]?.close(code, `no more ${token}`)
    const closed = { closeCode: code, reason: 'no more ***' }
    // It was sent, so it is unknown whether it was executed.
    expect((await sending).code).toBe('TRANSPORT_FAILED')
    // This call waited for another connection, which will not be opened.
    expect(await waiting).toMatchObject({ code: 'TRANSPORT_CLOSED', context: closed })
    expect(await failure(transport.request(chain))).toMatchObject({
      code: 'TRANSPORT_CLOSED',
      context: closed,
    })
    expect(errors).toMatchObject([{ code: 'TRANSPORT_CLOSED', context: closed }])
    expect(events.at(-1)).toEqual({ type: 'disconnect', code, reason: 'no more ***', willReconnect: false })
    expect(node.sockets).toHaveLength(1)
  })

  it('comes back late after 4429', async () => {
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

  it('is refused permanently when ws reports 401', async () => {
    const node = await startNodeServer()
    node.refuseWith = 401
    const transport = open(node, { WebSocket })
    expect(await failure(transport.request(chain))).toMatchObject({
      code: 'TRANSPORT_CLOSED',
      context: { reason: 'Unexpected server response: 401' },
    })
    expect(node.handshakes).toHaveLength(1)
  })

  it('that is silent is asked, and replaced when it stays silent', async () => {
    const node = await startNodeServer()
    const transport = open(node, { keepAlive: { intervalMs: 30, timeoutMs: 400 } })
    await transport.request(height)
    await vi.waitFor(() => expect(node.calls.length).toBeGreaterThan(3), 20_000)
    expect(node.calls.slice(1).every(({ method }) => method === 'eth_chainId')).toBe(true)
    expect(node.sockets).toHaveLength(1)
    node.answer = () => undefined
    const events = eventsOf(transport)
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toEqual(['disconnect', 'connect']), 20_000)
    expect(events[0]).toMatchObject({ code: 1006, reason: 'no answer', willReconnect: true })
    expect(node.sockets).toHaveLength(2)
  })
})

describe('a call', () => {
  it('may be answered in any order', async () => {
    const node = await startNodeServer()
    const first = later()
    node.answer = ({ method }) => (method === 'eth_chainId' ? first.promise : ok('0x2'))
    const transport = open(node)
    const chainId = transport.request(chain)
    expect(await transport.request(height)).toBe('0x2')
    first.give(ok('0x1'))
    expect(await chainId).toBe('0x1')
  })

  it('keeps code, words and data of an error object, without secrets', async () => {
    const node = await startNodeServer()
    const data = { deep: [`/ws/${token}`] }
    node.answer = () => ({ error: { code: 3, message: `execution reverted ${token}`, data } })
    expect((await failure(open(node).request({ method: 'eth_call', params: [] }))).context).toEqual({
      operation: 'eth_call',
      rpcCode: 3,
      detail: 'execution reverted ***',
      data: { deep: ['/ws/***'] },
      status: 200,
    })
  })

  it('breaks the contract when it is answered without result and error', async () => {
    const node = await startNodeServer()
    node.answer = () => ({}) as ServerAnswer
    expect((await failure(open(node).request(chain))).code).toBe('DECODE_INVALID')
  })

  it('is not disturbed by what is no answer to it', async () => {
    const node = await startNodeServer()
    node.answer = (_, socket) => {
      for (const text of ['{', 'null', '1', '[]', '[null]', '{"id":99,"result":1}', '{"method":"x"}'])
        socket?.send(text)
      socket?.send(
        JSON.stringify({ method: 'eth_subscription', params: { subscription: '0xff', result: 1 } }),
      )
      return ok('0x1')
    }
    expect(await open(node).request(chain)).toBe('0x1')
  })

  it('that is alone gets the error that names no call', async () => {
    const node = await startNodeServer()
    node.answer = (_, socket) => {
      socket?.send(
        JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }),
      )
      return undefined
    }
    expect((await failure(open(node).request(chain))).context).toMatchObject({ rpcCode: -32700 })
  })

  it('ends when its time is over, with and without a connection', async () => {
    const node = await startNodeServer()
    const transport = open(node)
    await transport.request(chain)
    node.answer = () => undefined
    expect((await failure(transport.request(chain, { timeoutMs: 40 }))).context).toMatchObject({
      attempt: 1,
      reason: 'no answer',
    })
    const events = eventsOf(transport)
    await node.stop()
    await vi.waitFor(() => expect(events).toHaveLength(1), 20_000)
    const unsent = await failure(transport.request(chain, { timeoutMs: 30 }))
    expect(unsent.code).toBe('TRANSPORT_TIMEOUT')
    expect(unsent.context).toMatchObject({
      attempt: 0,
      timeoutMs: 30,
      reason: expect.stringMatching(/^no connection( after \d+ attempts?)?, the last ended with 1006/),
    })
  })

  it('ends with the reason of its signal', async () => {
    const node = await startNodeServer()
    node.answer = () => undefined
    const transport = open(node)
    const leave = new AbortController()
    const reason = new Error('enough')
    const call = transport.request(chain, { signal: leave.signal })
    await vi.waitFor(() => expect(node.calls).toHaveLength(1), 20_000)
    leave.abort(reason)
    await expect(call).rejects.toBe(reason)
    await expect(transport.request(chain, { signal: leave.signal })).rejects.toBe(reason)
    expect(node.calls).toHaveLength(1)
  })

  it('that is idempotent is sent once more after a broken connection, and only once', async () => {
    const node = await startNodeServer()
    node.answer = (_, socket) => {
      socket?.terminate()
      return undefined
    }
    const transport = open(node)
    expect(await failure(transport.request(chain))).toMatchObject({
      code: 'TRANSPORT_FAILED',
      context: { attempt: 2 },
    })
    expect(node.calls).toHaveLength(2)
  })

  it('that is not idempotent fails with the connection that it was sent on', async () => {
    const node = await startNodeServer()
    node.answer = (call, socket) => {
      if (call.method !== 'eth_sendRawTransaction') return ok('0x1')
      socket?.terminate()
      return undefined
    }
    const transport = open(node)
    expect(await failure(transport.request(raw))).toMatchObject({
      code: 'TRANSPORT_FAILED',
      context: { attempt: 1 },
    })
    expect(await transport.request(chain)).toBe('0x1')
    expect(node.calls.filter(({ method }) => method === raw.method)).toHaveLength(1)
  })

  it('that is not idempotent is sent when there is a connection again', async () => {
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

  it('has a limit of time that a timer can hold', async () => {
    const node = await startNodeServer()
    const error = await failure(open(node).request(chain, { timeoutMs: Infinity }))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', context: { option: 'timeoutMs' } })
    expect(node.calls).toEqual([])
  })

  it('ends with the transport', async () => {
    const node = await startNodeServer()
    node.answer = () => undefined
    const { attempts, ...options } = countedWebSocket()
    const transport = open(node, options)
    const call = failure(transport.request(raw))
    await vi.waitFor(() => expect(node.calls).toHaveLength(1), 20_000)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    transport.close()
    transport.close()
    expect(await call).toMatchObject({ code: 'TRANSPORT_CLOSED', context: { closeCode: 1000 } })
    expect((await failure(transport.request(chain))).code).toBe('TRANSPORT_CLOSED')
    await vi.waitFor(() => expect(node.sockets[0]?.readyState).toBe(WebSocket.CLOSED), 20_000)
    // Enough time for another attempt, which must not happen.
    vi.advanceTimersByTime(60_000)
    expect([attempts(), node.sockets.length]).toEqual([1, 1])
  })
})

describe('several calls', () => {
  it('travel in one message, and each has an outcome of its own', async () => {
    const node = await startNodeServer()
    node.answer = ({ method }) =>
      method === 'eth_chainId' ? ok('0x1') : { error: { code: -32601, message: 'no such method' } }
    const outcomes = await open(node).batch([chain, { method: 'eth_foo' }])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: '0x1' },
      { status: 'rejected', reason: { context: { operation: 'eth_foo', rpcCode: -32601 } } },
    ])
    expect(node.messages).toHaveLength(1)
  })

  it('break the contract one by one when an answer is missing', async () => {
    const node = await startNodeServer()
    node.answer = ({ method }) => (method === 'eth_chainId' ? ok('0x1') : undefined)
    expect(await open(node).batch([height, chain])).toMatchObject([
      { status: 'rejected', reason: { code: 'DECODE_INVALID' } },
      { status: 'fulfilled', value: '0x1' },
    ])
  })

  it('fail together with the error that names none of them', async () => {
    const node = await startNodeServer()
    node.answer = (_, socket) => {
      socket?.send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too many' } }))
      return undefined
    }
    const refused = { status: 'rejected', reason: { context: { rpcCode: -32600 } } }
    expect(await open(node).batch([height, chain])).toMatchObject([refused, refused])
  })

  it('are sent again only when all may be', async () => {
    const node = await startNodeServer()
    let broken = 0
    node.answer = (_, socket) => {
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

  it('may be none', async () => {
    const node = await startNodeServer()
    expect(await open(node).batch([])).toEqual([])
    expect(node.handshakes).toEqual([])
  })
})

describe('a secret', () => {
  it.each([
    ['the class of the runtime', undefined],
    ['the class of ws', WebSocket],
  ])('stands in no error with %s', async (_, given) => {
    const node = await startNodeServer()
    node.refuseWith = 500
    const transport = open(node, { reconnect: { ...quick, attempts: 1 }, WebSocket: given })
    const errors = [await failure(transport.request(chain)), await failure(transport.request(raw))]
    class Leaky {
      constructor(url: string) {
        throw new SyntaxError(`Invalid URL: ${url}`)
      }
      send(): void {}
      close(): void {}
    }
    const leaky = open(node, { reconnect: { ...quick, attempts: 0 }, WebSocket: Leaky })
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
  ])('are refused by name: %s', (option, wrong) => {
    expect(() => webSocket({ url, auth, ...wrong })).toThrow(`"option":"${option}"`)
  })

  it('name the class where the runtime has none', () => {
    vi.stubGlobal('WebSocket', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => webSocket({ url, auth })).toThrow('"option":"WebSocket"')
    webSocket({ url, auth, WebSocket }).close()
  })

  it('name the credential where the runtime cannot send it', () => {
    vi.stubGlobal('process', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const basic: WebSocketOptions['auth'] = { kind: 'basic', username: 'user', password: 'password' }
    expect(() => webSocket({ url, auth: basic })).toThrow('"option":"auth.kind"')
    webSocket({ url, auth }).close()
  })
})
