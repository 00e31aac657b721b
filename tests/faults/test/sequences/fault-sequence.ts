import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@fairlead/benchmarks/gateway-process'
import {
  type CallReport,
  percentileOf,
  sendSteadily,
  type SteadyRequest,
} from '@fairlead/benchmarks/steady-calls'
import { type Fault, faults, UpstreamProcess } from './upstream-process.ts'

/** The calls of a protocol. */
interface CalledProtocol {
  /** Environment variable that names the upstreams. */
  readonly option: string
  /** The part between the URL of the gateway and the path of a call. */
  readonly base: (token: string) => string
  readonly requestOf: (number: number) => SteadyRequest
}

/** The protocols with failover. */
export const protocols: Readonly<Record<string, CalledProtocol>> = {
  evm: {
    option: 'FAIRLEAD_EVM_UPSTREAM',
    base: (token) => `/${token}`,
    requestOf: (number) => ({ body: rpcBody(number) }),
  },
  beacon: {
    option: 'FAIRLEAD_BEACON_UPSTREAM',
    base: (token) => `/beacon/${token}`,
    requestOf: () => ({ path: '/eth/v1/beacon/states/head/root' }),
  },
  ton: {
    option: 'FAIRLEAD_JETTON_UPSTREAM',
    base: (token) => `/${token}/api`,
    requestOf: () => ({ path: '/v2/getMasterchainInfo' }),
  },
}

/** A fault of the first of two upstreams, and after its recovery a fault of one of them. */
export interface FaultSequence {
  readonly protocol: string
  readonly first: Fault
  readonly second: Fault
  /** The upstream with the second fault. */
  readonly at: 'first' | 'second'
}

/** The durations of a sequence, in seconds. */
export interface SequenceTimes {
  readonly first: number
  readonly recovered: number
  readonly second: number
}

/** Maximum time of a call while one upstream is healthy, in milliseconds. */
export const maxCallMs = 1_500

const perSecond = 300
const warmUpSeconds = 2
const healthySeconds = 0.5

/** Returns the sequences of all pairs of faults. */
export function sequencesOf(protocol: string, at: FaultSequence['at']): readonly FaultSequence[] {
  return faults.flatMap((first) => faults.map((second) => ({ protocol, first, second, at })))
}

/**
 * Runs a sequence under a steady load at a new gateway. One upstream is healthy at any time.
 *
 * @throws Error when there is no such protocol
 */
export async function runSequence(
  { protocol, first, second, at }: FaultSequence,
  times: SequenceTimes,
): Promise<CallReport> {
  const called = protocols[protocol]
  if (!called) throw new Error(`There is no protocol ${protocol}.`)
  const upstreams = await Promise.all([UpstreamProcess.start(), UpstreamProcess.start()])
  const gateway = await serve({
    [called.option]: upstreams.map(({ url }) => url).join(' '),
    FAIRLEAD_LOG_LEVEL: 'silent',
    FAIRLEAD_PROBE_NODES: 'false',
  })
  try {
    const load = {
      url: `${gateway.url}${called.base(gateway.token)}`,
      perSecond,
      requestOf: called.requestOf,
    }
    await sendSteadily({ ...load, seconds: warmUpSeconds })
    const seconds = healthySeconds + times.first + times.recovered + times.second
    const report = sendSteadily({ ...load, seconds })
    await pause(healthySeconds * 1_000)
    await upstreams[0].begin(first)
    await pause(times.first * 1_000)
    await upstreams[0].recover()
    await pause(times.recovered * 1_000)
    await upstreams[at === 'first' ? 0 : 1].begin(second)
    return await report
  } finally {
    for (const upstream of upstreams) upstream.stop()
    await gateway.stop()
  }
}

/** The names of the columns of {@link tableRow}. */
export const tableHead = 'protocol  first  then  at        calls  errors   p50 ms   p99 ms  longest ms'

/** Returns the results of a sequence as a row. */
export function tableRow({ protocol, first, second, at }: FaultSequence, report: CallReport): string {
  const ms = (share: number, width: number) => percentileOf(report, share).toFixed(1).padStart(width)
  const names = `${protocol.padEnd(10)}${first.padEnd(7)}${second.padEnd(6)}${at.padEnd(8)}`
  const counts = `${String(report.calls).padStart(7)}${String(report.errors).padStart(8)}`
  return `${names}${counts}${ms(0.5, 9)}${ms(0.99, 9)}${ms(1, 12)}`
}

/** Two of three calls are lookups, the third executes code. No two calls are equal. */
function rpcBody(number: number): string {
  const address = `0x${(number + Math.floor(Math.random() * 2 ** 40)).toString(16).padStart(40, '0')}`
  const method = number % 3 === 0 ? 'eth_call' : 'eth_getBalance'
  const params = [method === 'eth_call' ? { to: address } : address, 'latest']
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
