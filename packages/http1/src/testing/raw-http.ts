import { connect } from 'node:net'

/** What came back on a connection, and whether the other side ended it in order. */
export interface RawAnswer {
  readonly text: string
  readonly end: 'closed' | 'reset' | 'open'
}

/**
 * Sends text as it is over one connection and collects what comes back until the connection ends, or until `until`
 * matches.
 */
export function sendRaw(port: number, text: string, until?: RegExp): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let received = ''
    let ended = false
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const finish = (end: RawAnswer['end']) => {
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
