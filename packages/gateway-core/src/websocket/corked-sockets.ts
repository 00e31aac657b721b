import type { Writable } from 'node:stream'
import { guardedImmediate } from '@fairlead/http1'

/**
 * Collects what is written to many sockets within one turn of the event loop, so that each is handed to the operating
 * system once.
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

/** One of the sockets. */
export class CorkedSocket {
  readonly #socket: Writable
  readonly #whenCorked: (corked: CorkedSocket) => void
  #isCorked = false
  // One text is cheaper to write than many.
  #texts = ''
  #sent: (() => void)[] = []

  /** @param whenCorked - hears that {@link uncork} is to be called */
  constructor(socket: Writable, whenCorked: (corked: CorkedSocket) => void) {
    this.#socket = socket
    this.#whenCorked = whenCorked
  }

  /** How many bytes are collected and not yet written to the socket. */
  get collected(): number {
    return this.#texts.length
  }

  /**
   * Writes a text.
   *
   * @param latin1 - a character for each byte
   * @param sent - called when it has left, or will not
   */
  write(latin1: string, sent?: () => void): void {
    this.#cork()
    this.#texts += latin1
    if (sent) this.#sent.push(sent)
  }

  /** To be called before anybody else writes to the socket, so that what is written first leaves first. */
  giveWay(): void {
    this.#cork()
    if (this.#texts === '') return
    const sent = this.#sent
    const told = () => {
      for (const one of sent) one()
    }
    this.#socket.write(this.#texts, 'latin1', told)
    this.#texts = ''
    this.#sent = []
  }

  uncork(): void {
    this.giveWay()
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
