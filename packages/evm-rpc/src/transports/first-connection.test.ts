import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { watchBlocks } from '../streams/watch-blocks.ts'
import { failure, type NodeServer, startNodeServer } from './testing/node-server.ts'
import { webSocket, type WebSocketOptions, type WebSocketTransport } from './web-socket.ts'

const auth = { kind: 'token', token: 's3cr3t' } as const
const chain = { method: 'eth_chainId' }

// The WebSocket class of the runtime, which does not report the status of a rejected handshake.
function open(node: NodeServer, options: Partial<WebSocketOptions> = {}): WebSocketTransport {
  const transport = webSocket({
    url: node.url,
    auth,
    timeoutMs: 8_000,
    connectTimeoutMs: 100,
    reconnect: { baseMs: 1, maxMs: 20 },
    ...options,
  })
  onTestFinished(() => transport.close())
  return transport
}

async function away(): Promise<NodeServer> {
  const node = await startNodeServer()
  node.refuseWith = 401
  return node
}

describe('a first connection', () => {
  it('is awaited no longer than its timeout, and the error contains the attempts and the last result', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const handshakes = { refused: 0 }
    const node = await away()
    const transport = open(node, {
      WebSocket: class extends WebSocket {
        constructor(url: string | URL) {
          super(url)
          this.addEventListener('close', () => (handshakes.refused += 1))
        }
      },
    })
    const failed = failure(transport.request(chain))
    for (const attempts of [1, 2]) {
      while (handshakes.refused < attempts) await new Promise((resolve) => setImmediate(resolve))
      vi.advanceTimersByTime(20)
    }
    vi.advanceTimersByTime(60)
    const error = await failed
    expect(error.code).toBe('TRANSPORT_FAILED')
    expect(error.details).toMatchObject({
      attempt: 0,
      reason: expect.stringMatching(/^no connection after 2 attempts, the last ended with 1006/),
    })
  })

  it('is not awaited by later calls, until there is one', async () => {
    const node = await away()
    const transport = open(node)
    await failure(transport.request(chain))
    const isOpen = new Promise<void>((resolve) => {
      transport.onConnection(({ type }) => type === 'connect' && resolve())
    })
    const second = failure(transport.request(chain))
    const outcome = await Promise.race([second, new Promise((resolve) => setImmediate(resolve, 'waits'))])
    expect(outcome).toMatchObject({ code: 'TRANSPORT_FAILED' })
    node.refuseWith = undefined
    await isOpen
    expect(await transport.request(chain)).toBe('0x1')
    // Calls wait for a lost connection as before.
    node.sockets.at(-1)?.terminate()
    expect(await transport.request(chain)).toBe('0x1')
  })

  it('that is not established ends a stream after its retries, not after as many timeouts', async () => {
    const node = await away()
    // One timeout would exceed the duration of the test.
    const transport = open(node, { timeoutMs: 600_000 })
    const error = await failure(watchBlocks(transport, { retries: 1 })[Symbol.asyncIterator]().next())
    expect(error.code).toBe('TRANSPORT_FAILED')
  })

  it('that is closed with 4401 ends all calls immediately', async () => {
    const node = await startNodeServer()
    node.closeWith = [4401, 'Unauthorized: Unknown token.']
    const transport = open(node, { reconnect: {} })
    const closed = {
      code: 'TRANSPORT_CLOSED',
      details: { closeCode: 4401, reason: 'Unauthorized: Unknown token.' },
    }
    const blocks = watchBlocks(transport)[Symbol.asyncIterator]()
    expect(await failure(blocks.next())).toMatchObject(closed)
    expect(await failure(transport.request(chain))).toMatchObject(closed)
    expect(node.handshakes).toHaveLength(1)
  })
})
