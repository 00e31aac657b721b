import type { AttackedGateway } from '../environment/attacked-gateway.ts'
import { call, openClient } from './call.ts'
import { mainThreadMs } from './process-usage.ts'

/** What a bystander has experienced. */
export interface BystanderReport {
  readonly calls: number
  readonly refusals: number
  readonly wrongResults: number
  /** The first failures. */
  readonly examples: readonly string[]
  /** Times of all calls in milliseconds, in ascending order. */
  readonly times: readonly number[]
  /** CPU time that the main thread of the gateway used during each call, in milliseconds, in ascending order. */
  readonly cpuTimes: readonly number[]
}

/** A bystander that makes calls until it is stopped. */
export interface Bystander {
  /** Waits for the calls in flight. */
  stop(): Promise<BystanderReport>
}

const intervalMs = 100
const maxExamples = 3
// Differs from the numbers of attacks.
let nextNumber = 0xb0_00_00_00

/** Starts ten calls a second, regardless of response times: every second one over a new connection. */
export function startBystander(gateway: AttackedGateway): Bystander {
  const { bystanderUrl, bystanderHost, processIds } = gateway
  const lasting = openClient(bystanderUrl, bystanderHost)
  const outcomes: Promise<void>[] = []
  const times: number[] = []
  const cpuTimes: number[] = []
  const examples: string[] = []
  let [refusals, wrongResults] = [0, 0]
  const makeCall = async () => {
    const number = nextNumber
    nextNumber += 1
    const client = number % 2 === 0 ? lasting : openClient(bystanderUrl, bystanderHost)
    const ids = processIds()
    const cpuBefore = ids.map(mainThreadMs)
    const began = performance.now()
    const { failure, isWrong } = await call(client, number)
    times.push(performance.now() - began)
    // Which process serves the call is unknown: none used more than this.
    cpuTimes.push(Math.max(...ids.map((id, at) => (mainThreadMs(id) || 0) - (cpuBefore[at] ?? 0))))
    if (client !== lasting) client.close()
    if (failure === undefined) return
    if (isWrong) wrongResults += 1
    else refusals += 1
    if (examples.length < maxExamples) examples.push(failure)
  }
  const timer = setInterval(() => outcomes.push(makeCall()), intervalMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(outcomes)
      lasting.close()
      const ascending = (values: readonly number[]) => values.toSorted((a, b) => a - b)
      return {
        calls: outcomes.length,
        refusals,
        wrongResults,
        examples,
        times: ascending(times),
        cpuTimes: ascending(cpuTimes),
      }
    },
  }
}

/** Returns the time that this share of the calls did not exceed. */
export function percentileOf(times: readonly number[], share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
}
