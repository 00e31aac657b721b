import type { Configuration } from '../../configuration/options.ts'
import type { Tracing } from '@fairlead/gateway-core/telemetry/current-trace'
import { passThroughTracing } from '@fairlead/gateway-core/telemetry/pass-through-tracing'

/** The tracing that a configuration asks for. What sends traces is loaded only where they are wanted. */
export async function tracingOf({ tracingEndpoint, tracingRatio }: Configuration): Promise<Tracing> {
  if (tracingEndpoint === undefined) return passThroughTracing
  const { openTracing } = await import('./open-tracing.ts')
  return openTracing({ endpoint: tracingEndpoint, ratio: tracingRatio })
}
