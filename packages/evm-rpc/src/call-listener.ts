/** Calls a listener. An error of the listener is not swallowed, but affects neither other listeners nor the caller. */
export function callListener(listen: () => void): void {
  try {
    listen()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
