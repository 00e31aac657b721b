/** Waits that all end early when something is over. */
export interface Interrupt {
  /** Waits for a promise; resolves with undefined when it is over before. */
  until<value>(promise: Promise<value> | undefined): Promise<value | undefined>
  /** Ends what waits and what will wait. */
  end(): void
}

/** Unlike a race with one lasting promise, this keeps nothing of the waits that are done. */
export function createInterrupt(): Interrupt {
  const waiting = new Set<() => void>()
  let isOver = false
  return {
    until(promise) {
      return new Promise((resolve, reject) => {
        const stop = () => resolve(undefined)
        if (isOver || !promise) stop()
        else waiting.add(stop)
        // In any case, so that a late rejection is heard by someone.
        promise?.then(resolve, reject).finally(() => waiting.delete(stop))
      })
    },
    end() {
      isOver = true
      for (const stop of waiting) stop()
    },
  }
}
