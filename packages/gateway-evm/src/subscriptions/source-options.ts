import type { Logger } from 'pino'
import type { WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { Upstream } from '../upstream/types.ts'
import type { TimeSlices } from './time-slices.ts'

/** Dependencies of the shared subscriptions of one node. */
export interface SourceOptions {
  readonly upstream: Upstream
  /** While it is not connected, the upstream is polled for new heads. */
  readonly socket: WebSocketUpstream
  readonly pollMs: number
  readonly timeoutMs: number
  readonly log: Logger
  /** Shared by all nodes in a process. */
  readonly slices: TimeSlices
}
