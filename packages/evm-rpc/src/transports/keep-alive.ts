/** When a silent connection is asked, and when it counts as dead. */
export interface KeepAliveOptions {
  /** Silence in milliseconds after which the node is asked something. Default 30000. */
  readonly intervalMs?: number | undefined
  /** Silence in milliseconds after the question after which the connection counts as dead. Default 10000. */
  readonly timeoutMs?: number | undefined
}

export interface SilenceLimits {
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** Watches one connection for silence. */
export interface KeepAlive {
  /** Something arrived. */
  heard(): void
  stop(): void
}

/**
 * Asks when nothing arrives, and tells when there is no answer either.
 *
 * A browser cannot send the ping of RFC 6455, so the question is a call.
 */
export function watchSilence(
  { intervalMs, timeoutMs }: SilenceLimits,
  ask: () => void,
  dead: () => void,
): KeepAlive {
  let last = performance.now()
  let timer = setTimeout(check, intervalMs)
  function check(): void {
    const silentMs = performance.now() - last
    if (silentMs < intervalMs) {
      timer = setTimeout(check, intervalMs - silentMs)
      return
    }
    const asked = last
    ask()
    timer = setTimeout(() => (last === asked ? dead() : check()), timeoutMs)
  }
  return {
    heard: () => {
      last = performance.now()
    },
    stop: () => clearTimeout(timer),
  }
}
