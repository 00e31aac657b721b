import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { requestNotes } from './request-notes.ts'

const throttledStatus = 429
const periodMs = 10_000

/**
 * Makes the log of platform requests: one line each, and one in 10 s for those that were throttled, as a caller can send
 * any number of these. That line has the number of throttled requests before it that were not logged.
 */
export function createRequestLog(
  log: Logger,
  now: () => number = () => performance.now(),
): (request: FastifyRequest, status: number, elapsedMs: number) => void {
  let notLogged = 0
  let throttledAt = -Infinity
  return (request, status, elapsedMs) => {
    const isThrottled = status === throttledStatus
    if (isThrottled && now() - throttledAt < periodMs) {
      notLogged += 1
      return
    }
    // The path is left out: a node token sent here by mistake would stand in it.
    const { operationId, identity } = requestNotes(request)
    log.info(
      {
        request_id: request.id,
        operation_id: operationId ?? null,
        status,
        duration_ms: Math.round(elapsedMs * 1000) / 1000,
        key: identity?.kind === 'key' ? identity.label : null,
        user_id: identity?.userId ?? null,
        ...(isThrottled && notLogged > 0 && { not_logged: notLogged }),
      },
      'platform request',
    )
    if (!isThrottled) return
    notLogged = 0
    throttledAt = now()
  }
}
