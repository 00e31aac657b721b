import { connect } from 'node:net'

/** The bytes that were received on a connection, and how the connection ended. */
export interface RawResponse {
  readonly text: string
  readonly end: 'closed' | 'reset' | 'open'
}

/**
 * Sends a text unchanged over one connection. Collects the received bytes until the connection ends, or until `until`
 * matches.
 */
export function sendRaw(port: number, text: string, until?: RegExp): Promise<RawResponse> {
  return new Promise((resolve) => {
    let received = ''
    let ended = false
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const finish = (end: RawResponse['end']) => {
      socket.destroy()
      resolve({ text: received, end })
    }
    socket.on('data', (chunk) => {
      received += chunk.toString()
      if (until?.test(received)) finish('open')
    })
    socket.on('end', () => (ended = true))
    socket.on('error', () => finish('reset'))
    socket.on('close', () => finish(ended ? 'closed' : 'reset'))
  })
}
