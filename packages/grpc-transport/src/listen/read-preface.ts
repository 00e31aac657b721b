import type { Socket } from 'node:net'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/**
 * Reads from a new connection until it is certain whether it speaks HTTP/2, and unshifts the bytes that were read. A
 * connection that does not send enough bytes in time, or ends, is closed.
 *
 * @param socket - connection from which no bytes have been read
 * @param timeoutMs - time for the first bytes, in milliseconds
 * @param decided - called with true for HTTP/2 and false for any other protocol, while the socket is paused
 * @see RFC 9113, section 3.4
 */
export function readPreface(socket: Socket, timeoutMs: number, decided: (isHttp2: boolean) => void): void {
  let head: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('data', take).off('end', end).off('close', stop)
  }
  const end = (): void => {
    stop()
    socket.destroy()
  }
  const take = (bytes: Buffer): void => {
    head = head.length === 0 ? bytes : Buffer.concat([head, bytes])
    const length = Math.min(head.length, preface.length)
    const isLike = head.compare(preface, 0, length, 0, length) === 0
    if (isLike && length < preface.length) return
    stop()
    socket.pause()
    socket.unshift(head)
    decided(isLike)
  }
  socket.on('data', take).on('end', end).on('close', stop)
}
