import { FairleadError, redact } from '@fairlead/core'
import { abnormalClosure } from './close-code.ts'
import { unref } from './unref.ts'

/** An instance of a WebSocket class, as far as its type describes it. */
export interface WebSocketConnection {
  send(data: string): void
  close(code?: number, reason?: string): void
}

/** The `WebSocket` of a runtime, or the class of the package `ws`. */
export type WebSocketClass = new (url: string, options?: never) => WebSocketConnection

/** An open connection. */
export interface Socket {
  send(text: string): void
  /** Starts the closing handshake. No callback is called after it. */
  close(): void
  /** Terminates immediately, as far as the runtime supports it. No callback is called after it. */
  drop(): void
}

export interface SocketListener {
  open(): void
  text(text: string): void
  closed(code: number, reason: string): void
}

interface RuntimeSocket extends WebSocketConnection {
  binaryType: string
  terminate?(): void
  addEventListener(type: string, listener: (event: RuntimeEvent) => void): void
}

interface RuntimeEvent {
  readonly data?: string | ArrayBuffer
  readonly code?: number
  readonly reason?: string
  readonly message?: string
}

interface Runtime {
  readonly WebSocket?: WebSocketClass
  readonly process?: { readonly versions?: { readonly node?: string } }
}

/** Opens connections to one URL. */
export type OpenSocket = (listener: SocketListener) => Socket

/** How long a server may take to respond to the close frame. */
const closeTimeoutMs = 2_000

/**
 * Returns the class that opens connections, and how to pass headers to it.
 *
 * @throws FairleadError `CONFIG_INVALID` when the runtime has no WebSocket, or one that cannot send the headers
 */
export function socketOpener(
  url: string,
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
  provided: WebSocketClass | undefined,
): OpenSocket {
  const runtime = globalThis as Runtime
  const selected = provided ?? runtime.WebSocket
  if (!selected) {
    const rule = 'must be given, such as that of ws, as the runtime has none'
    throw new FairleadError('CONFIG_INVALID', { option: 'WebSocket', rule })
  }
  const needsHeaders = Object.keys(headers).length > 0
  // The classes of Node.js, Deno and Bun accept headers in place of the protocols, like that of `ws`.
  if (needsHeaders && !provided && !runtime.process?.versions?.node) {
    const rule = 'must be token where a WebSocket cannot send headers, as in browsers'
    throw new FairleadError('CONFIG_INVALID', { option: 'auth.kind', rule })
  }
  const options = needsHeaders ? [{ headers }] : []
  return (listener) => {
    const socket = new selected(url, ...(options as never[])) as RuntimeSocket
    return listen(socket, listener, secrets)
  }
}

function listen(socket: RuntimeSocket, listener: SocketListener, secrets: readonly string[]): Socket {
  let isListening = true
  let opened = false
  let failure = ''
  const close = (code: number, reason: string) => {
    if (isListening) listener.closed(code, redact(reason || failure, secrets))
    isListening = false
  }
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('open', () => {
    opened = true
    if (isListening) listener.open()
  })
  socket.addEventListener('message', ({ data = '' }) => {
    if (isListening) listener.text(typeof data === 'string' ? data : new TextDecoder().decode(data))
  })
  // Only `ws` provides a message for a failure, such as the HTTP status of the response. A close event follows
  // immediately, except in Node.js 22 after a connection that never opened.
  socket.addEventListener('error', ({ message = '' }) => {
    failure = message
    if (!opened) setTimeout(close, 0, abnormalClosure, '')
  })
  socket.addEventListener('close', ({ code = 0, reason = '' }) => close(code, reason))
  return {
    send: (text) => socket.send(text),
    close: () => {
      isListening = false
      socket.close(1000)
      // A server that does not respond to the close frame must not keep the process alive.
      if (socket.terminate) unref(setTimeout(() => socket.terminate?.(), closeTimeoutMs))
    },
    drop: () => {
      isListening = false
      if (socket.terminate) socket.terminate()
      else socket.close()
    },
  }
}
