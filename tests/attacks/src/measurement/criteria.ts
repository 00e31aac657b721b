import { percentileOf } from './bystander.ts'
import type { AttackReport } from './measure-attack.ts'

/** Limits of the effect of an attack. */
export interface Criteria {
  /** Resident memory of one process of the gateway, in MiB. */
  readonly maxResidentMb: number
  /** Returns what the times of the bystander violate. */
  latencies(report: AttackReport): readonly string[]
}

const maxResidentMb = 600
const maxP99Ms = 50

/** For a machine that runs nothing else: p99 at most 50 ms or twice that without the attack. */
export const strictCriteria: Criteria = {
  maxResidentMb,
  latencies: ({ alone, during }) => {
    const limit = Math.max(maxP99Ms, 2 * percentileOf(alone.times, 0.99))
    return above('p99 of the bystander', percentileOf(during.times, 0.99), limit, 'ms')
  },
}

const maxCpuMs = 400
const maxWaitMs = 2_000

/**
 * For a machine whose processors the attack, the measurement and other tests share. There, times depend on when the
 * system runs a process. The CPU time that the gateway used during a call does not: it is what the gateway did instead
 * of the call, and grows only with the work that it does in front of it. The limit allows several event-loop ticks:
 * the code of the gateway is still being compiled, and the CPU time includes that of garbage collection. A call
 * may also wait without CPU time, for a concurrency slot or a connection of another organization. Such a wait takes
 * seconds, far more than the system takes.
 */
export const sharedMachineCriteria: Criteria = {
  maxResidentMb,
  latencies: ({ during }) => [
    ...above('CPU time of the gateway during a call', during.cpuTimes.at(-1) ?? 0, maxCpuMs, 'ms'),
    ...above('longest call of the bystander', during.times.at(-1) ?? 0, maxWaitMs, 'ms'),
  ],
}

/** Returns what an attack has achieved; empty for a gateway that withstands it. */
export function violationsOf(report: AttackReport, criteria: Criteria): readonly string[] {
  const { isAlive, residentMost, during, sent } = report
  return [
    ...(sent === undefined ? ['the attack itself failed'] : []),
    ...(isAlive ? [] : ['the gateway has ended, or does not serve']),
    ...above('resident memory', residentMost, criteria.maxResidentMb, 'MiB'),
    ...above('refused calls of the bystander', during.refusals, 0, during.examples[0] ?? ''),
    ...above('wrong results of the bystander', during.wrongResults, 0, during.examples[0] ?? ''),
    ...criteria.latencies(report),
  ]
}

function above(name: string, value: number, limit: number, unit: string): readonly string[] {
  return value > limit ? [`${name}: ${value.toFixed(0)} ${unit}, at most ${limit.toFixed(0)}`] : []
}
