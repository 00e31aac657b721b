import type { Writable } from 'node:stream'

/**
 * Collects what is written to many sockets within one turn of the event loop, so that each is handed to the operating
 * system once.
 */
export class CorkedSockets {
  readonly #corked = new Set<Writable>()

  /** Call it before writing. */
  cork(socket: Writable): void {
    if (this.#corked.has(socket)) return
    if (this.#corked.size === 0) setImmediate(() => this.#uncorkAll())
    this.#corked.add(socket)
    socket.cork()
  }

  #uncorkAll(): void {
    const sockets = [...this.#corked]
    this.#corked.clear()
    for (const socket of sockets) socket.uncork()
  }
}
