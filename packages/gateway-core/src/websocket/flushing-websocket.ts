import { WebSocket } from 'ws'

/**
 * A WebSocket that lets data leave before its Close frame, also when the library answers the Close frame of a client: no data
 * may follow a Close frame (RFC 6455, section 5.5.1).
 */
export class FlushingWebSocket extends WebSocket {
  /** Writes what was collected for the connection and not yet written. */
  flush: () => void = () => undefined

  override close(code?: number, reason?: string | Buffer): void {
    this.flush()
    super.close(code, reason)
  }
}
