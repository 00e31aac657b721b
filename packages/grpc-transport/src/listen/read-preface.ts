import type { Socket } from 'node:net'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/**
 * Reads from a new connection until it is certain whether it speaks HTTP/2, and unshifts the bytes that were read. A
 * connection that does not send enough bytes in time, or ends, is closed.
 *
 * @param socket - connection from which no bytes have been read
 * @param timeoutMs - time for the first bytes, in milliseconds
 * @param onDecided - called with true for HTTP/2 and false for any other protocol, while the socket is paused
 * @see RFC 9113, section 3.4
 */
export function readPreface(socket: Socket, timeoutMs: number, onDecided: (isHttp2: boolean) => void): void {
  let received: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('data', onData).off('end', onEnd).off('close', stop)
  }
  const onEnd = (): void => {
    stop()
    socket.destroy()
  }
  const onData = (bytes: Buffer): void => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    const length = Math.min(received.length, preface.length)
    const isMatch = received.compare(preface, 0, length, 0, length) === 0
    if (isMatch && length < preface.length) return
    stop()
    socket.pause()
    socket.unshift(received)
    onDecided(isMatch)
  }
  socket.on('data', onData).on('end', onEnd).on('close', stop)
}
