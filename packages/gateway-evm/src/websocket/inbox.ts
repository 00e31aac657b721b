import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import { PacedFrames } from '@fairlead/gateway-core/websocket/paced-frames'
import { guardedTimeout, type Tenant } from '@fairlead/runtime'
import type { SessionMemory } from './session-memory.ts'

/** The connection whose messages an inbox receives. */
export interface InboxOptions {
  readonly webSocket: WebSocket
  readonly socket: Duplex
  readonly memory: SessionMemory
  readonly budget: TickBudget
  tenant(): Tenant
  isClosing(): boolean
  /** Closes a connection that may not hold what it has received. */
  refuse(): void
}

// Data that a client may send while the connection closes, up to its close frame.
const maxBytesAfterClose = 65_536
const floodedCloseMs = 2_000

/** The received messages of one WebSocket that wait for processing, and the data that is not a message yet. */
export class Inbox {
  readonly #options: InboxOptions
  readonly #frames: PacedFrames
  readonly #queue: Buffer[] = []
  #bytesAfterClose = 0
  #closeTimer: NodeJS.Timeout | undefined

  constructor(options: InboxOptions) {
    const { webSocket, socket, budget, memory, tenant } = options
    this.#options = options
    this.#frames = new PacedFrames(socket, {
      budget,
      reading: webSocket,
      tenant,
      receiveBytes: (bytes) => this.#receive(bytes),
      receiveFrames: (frames) => options.isClosing() || this.#accept(memory.receiveFrames(frames)),
    })
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0
  }

  /** Adds a message; returns false when the connection may not hold it, and closes. */
  push(message: Buffer): boolean {
    if (!this.#accept(this.#options.memory.receiveMessage(message.length))) return false
    this.#queue.push(message)
    return true
  }

  shift(): Buffer | undefined {
    return this.#queue.shift()
  }

  get isPaused(): boolean {
    return this.#frames.isPaused
  }

  /** Stops reading until {@link resume}. */
  pause(): void {
    this.#frames.pause()
  }

  resume(): void {
    this.#frames.resume()
  }

  clear(): void {
    this.#queue.length = 0
  }

  /** Drops everything, after the connection has closed. */
  end(): void {
    clearTimeout(this.#closeTimer)
    this.#frames.end()
  }

  /** Counts received bytes before they are read; returns false to drop them. */
  #receive(bytes: number): boolean {
    const { memory, webSocket, isClosing } = this.#options
    if (!isClosing()) return this.#accept(memory.receiveBytes(bytes))
    this.#bytesAfterClose += bytes
    if (this.#bytesAfterClose <= maxBytesAfterClose) return true
    // Nothing more is read. An immediate reset would take the close frame from the client.
    this.pause()
    this.#closeTimer ??= guardedTimeout(() => webSocket.terminate(), floodedCloseMs).unref()
    return false
  }

  #accept(mayHold: boolean): boolean {
    if (!mayHold) this.#options.refuse()
    return mayHold
  }
}
