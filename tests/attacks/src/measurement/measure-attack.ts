import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { AttackEnd, AttackOrder } from '../attacker/attack-process.ts'
import { type AttackedGateway, metricsOf } from '../environment/attacked-gateway.ts'
import { type BystanderReport, startBystander } from './bystander.ts'
import { isRunning, residentMb } from './process-usage.ts'

/** The effect of an attack on the gateway and on a bystander. */
export interface AttackReport {
  readonly name: string
  /** Whether every process of the gateway is the same as before, and serves. */
  readonly isAlive: boolean
  /** Resident memory of the largest process of the gateway in MiB. */
  readonly residentBefore: number
  readonly residentMost: number
  readonly alone: BystanderReport
  readonly during: BystanderReport
  /** What the gateway has counted during the attack: rejections by reason, and long event-loop ticks by source. */
  readonly counted: Readonly<Record<string, number>>
  /** What the attack has sent. Undefined when it failed. */
  readonly sent: AttackEnd | undefined
}

const sampleMs = 100
// Long enough for a process that is occupied with what it still has in its queues.
const servesMs = 30_000
// An attack that does not end by itself is stopped.
const graceMs = 10_000

/** Measures the bystander without an attack. */
export async function measureAlone(gateway: AttackedGateway, seconds: number): Promise<BystanderReport> {
  const bystander = startBystander(gateway)
  await pause(seconds * 1_000)
  return bystander.stop()
}

/**
 * Runs one attack and measures its effect.
 *
 * @param alone - the bystander without the attack, for comparison
 */
export async function measureAttack(
  gateway: AttackedGateway,
  name: string,
  seconds: number,
  alone: BystanderReport,
): Promise<AttackReport> {
  const ids = gateway.processIds()
  const resident = () => Math.max(...ids.map(residentMb))
  const metricsBefore = countersIn(await metricsOf(gateway))
  const residentBefore = resident()
  let residentMost = residentBefore
  const sampler = setInterval(() => (residentMost = Math.max(residentMost, resident())), sampleMs)
  const bystander = startBystander(gateway)
  const sent = await runAttack({ name, target: gateway.target, seconds })
  const during = await bystander.stop()
  const isAlive = (await doesServe(gateway)) && ids.every(isRunning)
  clearInterval(sampler)
  const metrics = countersIn(await metricsOf(gateway))
  const counted = Object.fromEntries(
    Object.entries(metrics)
      .map(([reason, count]) => [reason, count - (metricsBefore[reason] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  )
  return { name, isAlive, residentBefore, residentMost, alone, during, counted, sent }
}

async function runAttack(order: AttackOrder): Promise<AttackEnd | undefined> {
  const attack = fork(new URL('../attacker/attack-process.ts', import.meta.url), {
    execArgv: ['--conditions=@fairlead/source', '--max-old-space-size=256'],
  })
  const kill = () => void attack.kill('SIGKILL')
  process.once('exit', kill)
  const timer = setTimeout(kill, order.seconds * 1_000 + graceMs)
  let end: AttackEnd | undefined
  attack.once('message', (message: AttackEnd) => (end = message))
  attack.send(order)
  await once(attack, 'exit')
  clearTimeout(timer)
  process.off('exit', kill)
  return end
}

async function doesServe({ url }: AttackedGateway): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(servesMs) })).ok
  } catch {
    return false
  }
}

const counters = [
  ['', 'rejections_total', 'reason'],
  ['unknown credential ', 'unknown_credentials_total', 'response'],
  ['close code ', 'websockets_closed_total', 'code'],
  ['long tick ', 'event_loop_long_tick_seconds_count', 'source'],
] as const

/** The values of the counters in the metrics of a gateway. */
function countersIn(metrics: string): Readonly<Record<string, number>> {
  const entries = counters.flatMap(([prefix, name, label]) => {
    const pattern = new RegExp(`^fairlead_${name}\\{${label}="([^"]+)"} (\\d+)$`, 'gm')
    return [...metrics.matchAll(pattern)].map(
      ([, value, count]) => [`${prefix}${value}`, Number(count)] as const,
    )
  })
  return Object.fromEntries(entries)
}
