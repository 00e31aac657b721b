import type { Configuration } from '../../configuration/options.ts'
import type { Tracing } from './current-trace.ts'
import { passedOnTraces } from './passed-on-trace.ts'

/** The tracing that a configuration asks for. What sends traces is loaded only where they are wanted. */
export async function tracingOf({ tracingEndpoint, tracingRatio }: Configuration): Promise<Tracing> {
  if (tracingEndpoint === undefined) return passedOnTraces
  const { openTracing } = await import('./open-tracing.ts')
  return openTracing({ endpoint: tracingEndpoint, ratio: tracingRatio })
}
