import type { Exchange } from './exchange.ts'
import type { Line } from './line.ts'

/** What a connection tells those who hand out calls. */
export interface LineOwner {
  /** When a byte came over any connection, on the clock of `performance.now()`. */
  lastBytesAt: number
  /** The connection has something to write in this turn of the event loop. */
  onUnwritten(line: Line): void
  /**
   * An answer has come to its end.
   *
   * @param tookMs - since the call was first in line; undefined when that says nothing about the upstream's haste
   */
  onAnswered(line: Line, tookMs: number | undefined): void
  /** A call that the upstream has not begun to answer has to go to another connection. */
  onMoved(exchange: Exchange, line: Line): void
  /** @param cut - how many calls had been sent behind another one */
  onClosed(line: Line, cut: number): void
}

/** How long a connection waits. */
export interface LineTimes {
  /** Grows from connection to connection. */
  readonly serial: number
  /** When the connection has to be there, on the clock of `performance.now()`, as are all times here. */
  readonly connectBy: number
  /** Longest wait for the next bytes of a body, in milliseconds. */
  readonly bodyTimeoutMs: number
}
