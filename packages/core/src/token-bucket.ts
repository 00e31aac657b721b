/** Issues tokens at a steady rate, in the order of the requests. */
export interface TokenBucket {
  /** Number of tokens that are requested but not yet issued. */
  readonly waiting: number
  /** Whether a request for this many tokens would have to wait. */
  wouldWait(count: number): boolean
  /** Resolves when this many tokens are available; rejects with the reason of the signal. */
  take(count: number, signal?: AbortSignal): Promise<void>
  /** Resolves all waiting requests. */
  end(): void
}

interface Waiter {
  readonly count: number
  readonly go: () => void
}

/**
 * Creates a full bucket. A request for more tokens than its size is served when the bucket is full, and leaves it in
 * debt.
 */
export function createTokenBucket(perSecond: number, size: number): TokenBucket {
  const queue: Waiter[] = []
  let tokens = size
  let filledAt = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined

  // Adding fractions can lose about a billionth.
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
