import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import { loggableError } from '@fairlead/gateway-core/telemetry/loggable-error'
import { type UnexpectedError, unexpectedErrors } from '@fairlead/runtime'

/**
 * Logs unexpected errors, and counts them as `fairlead_unexpected_errors_total`.
 *
 * @returns a function that stops this
 */
export function watchUnexpectedErrors(registry: Registry, log: Logger): () => void {
  const total = new Counter({
    name: 'fairlead_unexpected_errors_total',
    help: 'Unexpected errors by the guard that caught them. Each ended one request, connection or tick.',
    labelNames: ['source'],
    registers: [registry],
  })
  const onError = (message: unknown) => {
    const { source, error, requestId } = message as UnexpectedError
    total.inc({ source })
    log.error({ source, error: loggableError(error), request_id: requestId }, 'unexpected error')
  }
  unexpectedErrors.subscribe(onError)
  return () => unexpectedErrors.unsubscribe(onError)
}
