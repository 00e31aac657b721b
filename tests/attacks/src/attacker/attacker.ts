import { Connection, type ConnectionOptions } from './connection.ts'
import type { AttackTarget } from './target.ts'

/** What an attack has sent. */
export interface AttackCounts {
  readonly connections: number
  readonly units: number
  readonly bytes: number
}

const intervalMs = 10
/** CPU time of a repetition in each interval, so that the attack uses at most about half a processor. */
const maxBusyMs = 5
/** An attack that was held up does not make up for more than this. */
const maxBacklogMs = 100
const reconnectMs = 100
const maxBytesPerSecond = 64 << 20
/** Bytes that wait for the gateway to read. */
const maxQueuedBytes = 128 << 20

/** The tools of an attack. They bound its rates, its memory and its CPU time. */
export class Attacker {
  readonly target: AttackTarget
  #connections = 0
  #units = 0
  #bytes = 0
  #credit = 0
  #isFull = false
  readonly #open = new Set<Connection>()

  constructor(target: AttackTarget) {
    this.target = target
    setInterval(() => {
      this.#credit = Math.min(maxBytesPerSecond / 10, this.#credit + (maxBytesPerSecond * intervalMs) / 1_000)
      let queued = 0
      for (const { queuedBytes } of this.#open) queued += queuedBytes
      this.#isFull = queued > maxQueuedBytes
    }, intervalMs)
  }

  get counts(): AttackCounts {
    return { connections: this.#connections, units: this.#units, bytes: this.#bytes }
  }

  /** Whether the attack is within its rate and its memory. */
  get #maySend(): boolean {
    return this.#credit > 0 && !this.#isFull
  }

  connect(options: ConnectionOptions = {}): Connection {
    this.#connections += 1
    const connection = new Connection(this.target, options, (bytes) => {
      this.#bytes += bytes
      this.#credit -= bytes
    })
    this.#open.add(connection)
    connection.onClose(() => this.#open.delete(connection))
    return connection
  }

  /**
   * Holds a number of connections, and replaces each one that closes.
   *
   * @param open - opens one
   * @returns the connections that are open now
   */
  hold<held extends Closable>(count: number, open: () => held): ReadonlySet<held> {
    const all = new Set<held>()
    const maintain = () => {
      if (!this.#maySend) {
        setTimeout(maintain, reconnectMs)
        return
      }
      const held = open()
      all.add(held)
      held.onClose(() => {
        all.delete(held)
        setTimeout(maintain, reconnectMs)
      })
    }
    // Not all in one event-loop tick: the listen backlog of a server is short.
    let begun = 0
    const timer = setInterval(() => {
      for (let inTick = 0; inTick < 10 && begun < count; inTick += 1, begun += 1) maintain()
      if (begun === count) clearInterval(timer)
    }, intervalMs)
    return all
  }

  /** Repeats a unit of the attack at a rate, or more slowly when the attack reaches its bounds. */
  repeat(perSecond: number, unit: () => void): void {
    let last = performance.now()
    let due = 0
    setInterval(() => {
      const now = performance.now()
      due = Math.min(
        due + ((now - last) * perSecond) / 1_000,
        Math.max(1, (perSecond * maxBacklogMs) / 1_000),
      )
      last = now
      const cpuBefore = cpuMs()
      for (; due >= 1 && this.#maySend; due -= 1) {
        unit()
        this.#units += 1
        if (cpuMs() - cpuBefore > maxBusyMs) return
      }
    }, intervalMs)
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A connection, or what an attack has made of it. */
export interface Closable {
  onClose(listener: () => void): void
}

/** Returns the members of a set in turn: the next one at each call, or undefined when there is none. */
export function inTurn<member>(set: ReadonlySet<member>): () => member | undefined {
  let iterator = set.values()
  return () => {
    const next = iterator.next()
    if (!next.done) return next.value
    iterator = set.values()
    return iterator.next().value
  }
}
