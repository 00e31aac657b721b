import type { Logger } from 'pino'
import type { WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { Upstream } from '../upstream/types.ts'
import type { TimeSlices } from './time-slices.ts'

/** What shared subscriptions of one node run on. */
export interface SourceOptions {
  readonly upstream: Upstream
  /** Without one the node is asked for news. */
  readonly socket: WebSocketUpstream | undefined
  readonly pollMs: number
  readonly timeoutMs: number
  readonly log: Logger
  /** Shared by the nodes of a process. */
  readonly slices: TimeSlices
}
