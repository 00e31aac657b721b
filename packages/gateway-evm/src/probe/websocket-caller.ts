import { type RawData, WebSocket } from 'ws'
import { type ProbeResponse, type ProbeCaller, readProbeResponse } from './read-response.ts'
import type { ProbeTarget } from './probe-target.ts'

const maxMessageBytes = 256 * 1024 * 1024

/**
 * Creates a caller for an upstream over one WebSocket. The WebSocket is opened on first use and reopened after it was
 * lost.
 *
 * @param target - ws or wss URL
 * @param timeoutMs - timeout for a connection or a response
 */
export function createWebSocketCaller({ url, headers }: ProbeTarget, timeoutMs: number): ProbeCaller {
  let id = 0
  let connecting: Promise<Connection> | undefined
  const connection = () => {
    connecting ??= connect(url, headers, timeoutMs).then((opened) => {
      void opened.closed.then(() => (connecting = undefined))
      return opened
    })
    return connecting
  }
  return {
    call: async (method, params, signal) => {
      const opened = await connection()
      if (opened.rejection) {
        connecting = undefined
        return opened.rejection
      }
      id += 1
      return opened.exchange(id, JSON.stringify({ jsonrpc: '2.0', id, method, params }), signal)
    },
    close: async () => {
      const opened = await connecting
      opened?.close()
    },
  }
}

interface Connection {
  /** Present when there is no connection. */
  readonly rejection?: ProbeResponse
  readonly closed: Promise<unknown>
  exchange(id: number, text: string, signal: AbortSignal): Promise<ProbeResponse>
  close(): void
}

function connect(
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Connection> {
  const waiting = new Map<number, (response: ProbeResponse) => void>()
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      headers,
      handshakeTimeout: timeoutMs,
      maxPayload: maxMessageBytes,
      followRedirects: false,
    })
    const closed = new Promise<void>((end) => {
      socket.once('close', () => {
        resolve({ ...connection, rejection: { problem: 'unreachable' } })
        for (const settle of waiting.values()) settle({ problem: 'unreachable' })
        end()
      })
    })
    const exchange: Connection['exchange'] = (id, text, signal) =>
      new Promise((respond) => {
        const settle = (response: ProbeResponse) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', onClosed)
          waiting.delete(id)
          respond(response)
        }
        const onClosed = () => settle({ problem: 'unreachable' })
        const timer = setTimeout(() => settle({ problem: 'timeout' }), timeoutMs)
        if (signal.aborted || socket.readyState !== WebSocket.OPEN) {
          onClosed()
          return
        }
        signal.addEventListener('abort', onClosed)
        waiting.set(id, settle)
        socket.send(text)
      })
    const connection = { closed, exchange, close: () => socket.terminate() }
    socket.once('open', () => resolve(connection))
    socket.on('message', (data) => {
      const text = textOf(data)
      const id = idOf(text)
      // Notifications and late responses have no waiting call.
      if (id !== undefined) waiting.get(id)?.(readProbeResponse(text))
    })
    socket.once('unexpected-response', (request, response) => {
      request.destroy()
      resolve({ ...connection, rejection: { status: response.statusCode, problem: 'unreadable' } })
    })
    // The error may contain the URL. The `close` event always follows it.
    socket.on('error', () => undefined)
  })
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8')
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8')
}

function idOf(text: string): number | undefined {
  try {
    const { id } = JSON.parse(text) as { id?: unknown }
    return typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}
