import type { Writable } from 'node:stream'
import { guardedImmediate } from '@fairlead/runtime'

/**
 * Collects data that is written to many sockets within one event-loop tick, so that each socket is passed to the
 * operating system once.
 */
export class CorkedSockets {
  #corked: CorkedSocket[] = []

  of(socket: Writable): CorkedSocket {
    return new CorkedSocket(socket, (corked) => {
      if (this.#corked.length === 0) guardedImmediate(() => this.#uncorkAll())
      this.#corked.push(corked)
    })
  }

  #uncorkAll(): void {
    const corked = this.#corked
    this.#corked = []
    for (const one of corked) one.uncork()
  }
}

/** A socket whose writes are collected. */
export class CorkedSocket {
  readonly #socket: Writable
  readonly #whenCorked: (corked: CorkedSocket) => void
  #isCorked = false
  // Writing one text is cheaper than writing many.
  #texts = ''
  #sent: (() => void)[] = []

  /** @param whenCorked - called when {@link uncork} has to be called later */
  constructor(socket: Writable, whenCorked: (corked: CorkedSocket) => void) {
    this.#socket = socket
    this.#whenCorked = whenCorked
  }

  /** Number of collected bytes that are not yet written to the socket. */
  get collected(): number {
    return this.#texts.length
  }

  /**
   * Writes a text.
   *
   * @param latin1 - one character per byte
   * @param sent - called when the text was sent or can no longer be sent
   */
  write(latin1: string, sent?: () => void): void {
    this.#cork()
    this.#texts += latin1
    if (sent) this.#sent.push(sent)
  }

  /** Must be called before any other code writes to the socket, so that the order of writes is preserved. */
  flush(): void {
    this.#cork()
    if (this.#texts === '') return
    const sent = this.#sent
    const onWritten = () => {
      for (const one of sent) one()
    }
    this.#socket.write(this.#texts, 'latin1', onWritten)
    this.#texts = ''
    this.#sent = []
  }

  uncork(): void {
    this.flush()
    this.#isCorked = false
    this.#socket.uncork()
  }

  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork()
    this.#whenCorked(this)
  }
}
