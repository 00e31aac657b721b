/** A group of waits that all end early when `end` is called. */
export interface Interrupt {
  /** Waits for a promise; resolves with undefined when `end` is called first. */
  wait<value>(promise: Promise<value> | undefined): Promise<value | undefined>
  /** Ends current and future waits. */
  end(): void
}

/** Unlike a race with one long-lived promise, this retains no memory for completed waits. */
export function createInterrupt(): Interrupt {
  const waiting = new Set<() => void>()
  let hasEnded = false
  return {
    wait(promise) {
      return new Promise((resolve, reject) => {
        const stop = () => resolve(undefined)
        if (hasEnded || !promise) stop()
        else waiting.add(stop)
        // Attached in any case, so that a late rejection is handled.
        promise?.then(resolve, reject).finally(() => waiting.delete(stop))
      })
    },
    end() {
      hasEnded = true
      for (const stop of waiting) stop()
    },
  }
}
