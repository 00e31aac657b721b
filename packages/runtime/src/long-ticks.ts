/** What an event-loop tick runs; `other` for what no guard wraps, such as database rows. */
export type TickSource =
  | 'http1'
  | 'http'
  | 'http2'
  | 'upgrade'
  | 'websocket'
  | 'grpc'
  | 'upstream'
  | 'platform'
  | 'timer'
  | 'other'

/** Shorter ticks are not reported. */
const longTickMs = 50

const checkMs = 50

let source: TickSource = 'other'

/** Names what runs from here on. It must stay this cheap, because every event calls it: no clock is read. */
export function attributeTick(next: TickSource): void {
  source = next
}

/** Wraps the callback of a timer so that a tick is attributed to it only if it takes long itself. */
export function attributeLongTimer(run: () => unknown): () => void {
  return () => {
    const started = performance.now()
    try {
      run()
    } finally {
      if (performance.now() - started > longTickMs) source = 'timer'
    }
  }
}

/**
 * Detects event-loop ticks that take longer than 50 ms: a timer is late by that much. The reported source is the last
 * one that began to run. Ticks of less than 100 ms may be missed.
 *
 * @param onLongTick - receives the source and the duration, which is at most 20 ms too short
 * @returns a function that stops the detection
 */
export function watchLongTicks(onLongTick: (source: TickSource, ms: number) => void): () => void {
  let last = performance.now()
  // Not guarded: a guard would attribute the tick to this timer.
  const timer = setInterval(() => {
    const now = performance.now()
    const ms = now - last - checkMs
    const ran = source
    last = now
    source = 'other'
    if (ms > longTickMs) onLongTick(ran, ms)
  }, checkMs).unref()
  return () => clearInterval(timer)
}
