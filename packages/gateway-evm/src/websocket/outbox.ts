import type { WebSocket } from 'ws'
import type { CorkedSocket } from '@fairlead/gateway-core/websocket/corked-sockets'
import { maxFramedText, textFrame } from '@fairlead/gateway-core/websocket/text-frame'
import { freeBytes, type SessionMemory } from './session-memory.ts'

/** What an outbox writes to. */
export interface OutboxOptions {
  readonly webSocket: WebSocket
  readonly corked: CorkedSocket
  readonly memory: SessionMemory
  /** Maximum number of unsent bytes; read on each use. */
  readonly limits: { readonly maxBufferBytes: number }
}

const asText = { binary: false }

/** The messages of one WebSocket that its client has not read. */
export class Outbox {
  readonly #options: OutboxOptions
  /** Bytes of unsent responses with a separate memory reservation. */
  #reservedBytes = 0

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#unsentBytes() > this.#options.limits.maxBufferBytes
  }

  /**
   * Sends a text, which is ASCII unless it is a buffer.
   *
   * @param sent - called when the text was sent or cannot be sent
   * @returns false when the client has left more unread than may be held
   */
  send(text: Buffer | string, sent?: () => void): boolean {
    const { webSocket, corked } = this.#options
    if (typeof text === 'string' && text.length <= maxFramedText) corked.write(textFrame(text), sent)
    else {
      corked.flush()
      webSocket.send(text, asText, sent)
    }
    return this.count()
  }

  /** Same as {@link send}, for a response that has a memory reservation, which `release` ends. */
  sendReserved(text: Buffer | string, release: () => void): boolean {
    if (text.length <= freeBytes) return this.send(text, release)
    this.#reservedBytes += text.length
    return this.send(text, () => {
      this.#reservedBytes -= text.length
      release()
    })
  }

  /** Counts the unsent bytes; false when they may not be held. */
  count(): boolean {
    return this.#options.memory.holdUnsent(this.#unsentBytes() - this.#reservedBytes)
  }

  #unsentBytes(): number {
    const { webSocket, corked } = this.#options
    return webSocket.bufferedAmount + corked.collected
  }
}
