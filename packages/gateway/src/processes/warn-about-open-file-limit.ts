import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'

/**
 * Two handles per client, because each client may have a separate upstream connection, for several thousand clients.
 */
export const enoughHandles = 16_384

/** Logs a warning when the limit of open connections of this process is too low for a few thousand clients. */
export function warnAboutOpenFileLimit(log: Logger): void {
  const limit = maxHandles()
  if (limit === undefined || limit >= enoughHandles) return
  log.warn(
    { open_files: limit, advised: enoughHandles },
    'the limit of open files allows few connections; raise it',
  )
}

/**
 * Returns the maximum number of open files of this process; undefined where the system does not report it, or sets no
 * limit.
 */
export function maxHandles(): number | undefined {
  try {
    const text = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
