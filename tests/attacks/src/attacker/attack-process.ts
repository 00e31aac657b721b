// Runs one attack for a time in a separate process, which ends automatically.
import { setPriority } from 'node:os'
import { findAttack } from '../attacks/all-attacks.ts'
import { type AttackCounts, Attacker } from './attacker.ts'
import type { AttackTarget } from './target.ts'

/** The order to the process. */
export interface AttackOrder {
  readonly name: string
  readonly target: AttackTarget
  readonly seconds: number
}

/** The last message of the process. */
export interface AttackEnd extends AttackCounts {
  readonly cpuMs: number
  readonly residentMb: number
}

// The gateway and the bystander come first where processors are few.
const niceness = 5
const maxResidentMb = 512
const checkMs = 200

process.once('message', ({ name, target, seconds }: AttackOrder) => {
  setPriority(niceness)
  const attacker = new Attacker(target)
  const residentMb = () => process.memoryUsage.rss() / 2 ** 20
  let most = residentMb()
  setInterval(() => {
    most = Math.max(most, residentMb())
    if (most > maxResidentMb)
      throw new Error(`The attack ${name} holds more than ${maxResidentMb} MiB itself.`)
  }, checkMs)
  setTimeout(() => {
    const { user, system } = process.cpuUsage()
    const end: AttackEnd = { ...attacker.counts, cpuMs: (user + system) / 1_000, residentMb: most }
    process.send?.(end, () => process.exit())
  }, seconds * 1_000)
  findAttack(name).run(attacker)
})
process.on('disconnect', () => process.exit())
