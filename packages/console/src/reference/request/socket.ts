/**
 * Sends one message over a WebSocket and receives messages until the signal aborts.
 *
 * @param path - of the WebSocket at the origin of this page
 * @param message - sent when it is open
 * @param onMessage - called with each message
 * @throws Error when it cannot be opened, or the connection breaks
 */
export function exchangeMessages(
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
    socket.addEventListener('error', () => reject(new Error('Could not open the WebSocket connection.')))
    socket.addEventListener('close', () => resolve())
  })
}
