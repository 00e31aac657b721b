import type { Logger } from 'pino'
import { onTimeout } from '@fairlead/gateway-core/shared-store/on-timeout'
import { guardedInterval } from '@fairlead/runtime'

const checkMs = 2_000
const timeoutMs = 2_000

/** The availability of the database. */
export interface DatabaseWatch {
  /** Unix time in milliseconds since when the database has not responded; undefined while it responds. */
  downSince(): number | undefined
  close(): void
}

/**
 * Checks in the background whether the database responds. At most one check is in flight, so that neither readers of
 * the state nor a database that hangs cause further queries. It logs each outage once and its end once.
 *
 * @param query - sends the cheapest query
 */
export function watchDatabase(query: () => Promise<unknown>, log: Logger): DatabaseWatch {
  let downSince: number | undefined
  let isChecking = false
  let isClosed = false
  let cancelTimeout = (): void => undefined
  const setAvailable = (isUp: boolean, checkedAt: number) => {
    if (isClosed || isUp === (downSince === undefined)) return
    downSince = isUp ? undefined : checkedAt
    if (isUp) log.info('the database responds again')
    else log.warn('the database does not respond: calls continue, the platform API is unavailable')
  }
  const check = async () => {
    if (isChecking) return
    isChecking = true
    const checkedAt = Date.now()
    cancelTimeout = onTimeout(timeoutMs, () => setAvailable(false, checkedAt))
    const isUp = await query().then(
      () => true,
      () => false,
    )
    cancelTimeout()
    isChecking = false
    setAvailable(isUp, checkedAt)
  }
  const timer = guardedInterval(check, checkMs).unref()
  return {
    downSince: () => downSince,
    close: () => {
      isClosed = true
      clearInterval(timer)
      cancelTimeout()
    },
  }
}
