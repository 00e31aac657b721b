import type { Draw } from '@fairlead/http1/testing/generated-messages'
import { drawId } from './client-ids.ts'
import type { ClientCall } from './clients.ts'
import { numberedCall } from './numbered-calls.ts'
import type { Fault, ResponseForm } from './response-faults.ts'

/** Calls through a gateway to upstreams with one fault. */
export interface GeneratedCase {
  readonly fault: Fault
  readonly transport: 'HTTP' | 'WebSocket'
  /** Number of requests that the clients have in flight. */
  readonly depth: number
  readonly upstreams: number
  /** Whether the upstreams accept batches. */
  readonly acceptsBatches: boolean
  readonly form: ResponseForm
  /** The calls of each request. */
  readonly requests: readonly (readonly ClientCall[])[]
  /** Numbers of the calls at which the fault occurs. */
  readonly positions: readonly number[]
}

const depths = [1, 2, 8, 32]
// The gateway opens several connections before it pipelines calls.
const minInFlight = { batch: 1, concurrency: 8, pipeline: 32 }
const batches = [2, 3, 5, 9]
// The gateway sends a part of the calls separately, and divides the rest between the upstreams.
const largeBatches = [7, 9]
// Results of 70 kB and 200 kB: a response of at most 64 KiB is buffered completely.
const longResults = [2_200, 6_250]
const maxLongInFlight = 16

/** Generates a case. The numbers of its calls begin at the given one. */
export function generatedCase(draw: Draw, fault: Fault, firstNumber: number): GeneratedCase {
  const pick = <value>(values: readonly value[]) => values[draw(values.length)] as value
  const { needs } = fault
  const form = {
    isChunked: draw(2) === 0,
    isLong: draw(4) === 0,
    isIdLast: draw(3) === 0,
    ...fault.form,
  }
  const { isLong } = form
  const batchSize = needs === 'batch' ? pick(largeBatches) : draw(3) > 0 ? 1 : isLong ? 2 : pick(batches)
  const possibleDepths = depths.filter((depth) => {
    const inFlight = depth * batchSize
    return inFlight >= (needs ? minInFlight[needs] : 1) && (!isLong || inFlight <= maxLongInFlight)
  })
  const depth = pick(possibleDepths)
  const words = isLong ? pick(longResults) : 1
  const calls: ClientCall[] = []
  const requests = Array.from({ length: 3 * depth + 8 }, () =>
    Array.from({ length: batchSize }, () => {
      // Sometimes an earlier call again, whose response the gateway may have cached.
      const earlier = draw(8) === 0 ? calls[draw(calls.length || 1)] : undefined
      const call = earlier ?? numberedCall(draw, firstNumber + calls.length, words)
      calls.push({ ...call, id: drawId(draw) })
      return calls.at(-1) as ClientCall
    }),
  )
  const inFlight = depth * batchSize
  const positions: number[] = []
  for (let at = draw(2 * inFlight); at < calls.length; at += 2 * inFlight + draw(inFlight))
    positions.push(firstNumber + at)
  return {
    fault,
    transport: pick(['HTTP', 'WebSocket']),
    depth,
    upstreams: pick([1, 2]),
    acceptsBatches: needs === 'batch' || draw(2) === 0,
    form,
    requests,
    positions,
  }
}
