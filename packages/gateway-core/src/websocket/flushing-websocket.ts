import { WebSocket } from 'ws'

/**
 * A WebSocket that sends collected data before its Close frame, also when the library responds to the Close frame of a
 * client: no data may follow a Close frame (RFC 6455, section 5.5.1).
 */
export class FlushingWebSocket extends WebSocket {
  /** Writes the collected data of the connection. */
  flush: () => void = () => undefined

  override close(code?: number, reason?: string | Buffer): void {
    this.flush()
    super.close(code, reason)
  }
}
