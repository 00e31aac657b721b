/** When a silent connection is probed, and when it counts as dead. */
export interface KeepAliveOptions {
  /** Time without data in milliseconds after which a probe is sent. Default 30000. */
  readonly intervalMs?: number | undefined
  /** Time without data after the probe, in milliseconds, after which the connection counts as dead. Default 10000. */
  readonly timeoutMs?: number | undefined
}

export interface KeepAliveLimits {
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** Watches one connection for inactivity. */
export interface KeepAlive {
  /** Data arrived. */
  received(): void
  stop(): void
}

/**
 * Sends a probe when no data arrives, and reports when there is no response either.
 *
 * A browser cannot send the ping of RFC 6455, so the probe is a call.
 */
export function watchInactivity(
  { intervalMs, timeoutMs }: KeepAliveLimits,
  probe: () => void,
  onDead: () => void,
): KeepAlive {
  let lastReceived = performance.now()
  let timer = setTimeout(check, intervalMs)
  function check(): void {
    const idleMs = performance.now() - lastReceived
    if (idleMs < intervalMs) {
      timer = setTimeout(check, intervalMs - idleMs)
      return
    }
    const lastAtProbe = lastReceived
    probe()
    timer = setTimeout(() => (lastReceived === lastAtProbe ? onDead() : check()), timeoutMs)
  }
  return {
    received: () => {
      lastReceived = performance.now()
    },
    stop: () => clearTimeout(timer),
  }
}
