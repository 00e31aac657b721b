/** Calls a listener. A fault of it is not swallowed, but reaches neither other listeners nor whoever has the news. */
export function tell(listen: () => void): void {
  try {
    listen()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
