import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'

/** Two for each client, as each may have its connection to a node, for some thousand clients. */
export const enoughHandles = 16_384

/** Logs a warning when this process may open so few connections that a few thousand clients use them up. */
export function warnOfFewHandles(log: Logger): void {
  const most = mostHandles()
  if (most === undefined || most >= enoughHandles) return
  log.warn(
    { open_files: most, advised: enoughHandles },
    'few connections may be open at a time; raise the limit of open files',
  )
}

/** How many files this process may have open; undefined where the system does not say, or sets no limit. */
export function mostHandles(): number | undefined {
  try {
    const text = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
