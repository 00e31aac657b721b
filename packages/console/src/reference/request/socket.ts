/**
 * Sends one message over a WebSocket and hears what comes, until the signal ends it.
 *
 * @param path - of the socket at the service that this page came from
 * @param message - what to send when it is open
 * @param onMessage - hears of each message
 * @throws Error when it cannot be opened, or breaks
 */
export function converse(
  path: string,
  message: string,
  signal: AbortSignal,
  onMessage: (text: string) => void,
): Promise<void> {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`)
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => socket.close())
    socket.addEventListener('open', () => socket.send(message))
    socket.addEventListener('message', ({ data }) => onMessage(String(data)))
    socket.addEventListener('error', () => reject(new Error('The WebSocket could not be opened.')))
    socket.addEventListener('close', () => resolve())
  })
}
