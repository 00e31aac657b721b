/** Hands out tokens at a steady rate, to those who wait in the order of their coming. */
export interface TokenBucket {
  /** How many tokens are waited for. */
  readonly waiting: number
  /** Whether that many tokens, taken now, would have to be waited for. */
  wouldWait(count: number): boolean
  /** Resolves when that many are there; rejects with the reason of the signal. */
  take(count: number, signal?: AbortSignal): Promise<void>
  /** Lets everybody go who waits. */
  end(): void
}

interface Waiter {
  readonly count: number
  readonly go: () => void
}

/** Makes a bucket that is full. More than it holds can be taken when it is full; it is in debt then. */
export function createTokenBucket(perSecond: number, size: number): TokenBucket {
  const queue: Waiter[] = []
  let tokens = size
  let filledAt = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined

  // A billionth is what adding fractions may lose.
  const lacks = (count: number): boolean => Math.min(count, size) - tokens > 1e-9

  function serve(): void {
    clearTimeout(timer)
    timer = undefined
    const now = performance.now()
    tokens = Math.min(size, tokens + ((now - filledAt) / 1_000) * perSecond)
    filledAt = now
    for (let next = queue[0]; next; next = queue[0]) {
      if (lacks(next.count)) {
        const missing = Math.min(next.count, size) - tokens
        timer = setTimeout(serve, Math.min((missing / perSecond) * 1_000, 60_000))
        return
      }
      tokens -= next.count
      queue.shift()
      next.go()
    }
  }

  return {
    get waiting() {
      return queue.reduce((sum, { count }) => sum + count, 0)
    },
    wouldWait(count) {
      serve()
      return queue.length > 0 || lacks(count)
    },
    take: (count, signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          queue.splice(queue.indexOf(waiter), 1)
          reject(signal?.reason as Error)
          serve()
        }
        const go = (): void => {
          signal?.removeEventListener('abort', leave)
          resolve()
        }
        const waiter: Waiter = { count, go }
        signal?.addEventListener('abort', leave, { once: true })
        queue.push(waiter)
        serve()
      }),
    end() {
      clearTimeout(timer)
      for (const { go } of queue.splice(0)) go()
    },
  }
}
