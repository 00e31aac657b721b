import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { requestNotes } from './request-notes.ts'

const throttledStatus = 429
const periodMs = 10_000

/**
 * Creates the log of platform requests: one line per request, but at most one line in 10 s for throttled requests,
 * because a caller can send any number of them. That line contains the number of earlier throttled requests that were
 * not logged.
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
    // The path is omitted: it would contain a node token that was sent here by mistake.
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
