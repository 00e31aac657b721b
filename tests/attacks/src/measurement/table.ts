import { percentileOf } from './bystander.ts'
import type { AttackReport } from './measure-attack.ts'

const columns: readonly (readonly [name: string, width: number, value: (report: AttackReport) => string])[] =
  [
    ['alive', 6, ({ isAlive }) => (isAlive ? 'yes' : 'NO')],
    ['MiB before', 11, ({ residentBefore }) => residentBefore.toFixed(0)],
    ['most', 7, ({ residentMost }) => residentMost.toFixed(0)],
    ['p99 alone', 10, ({ alone }) => percentileOf(alone.times, 0.99).toFixed(0)],
    ['attack', 7, ({ during }) => percentileOf(during.times, 0.99).toFixed(0)],
    ['longest', 8, ({ during }) => (during.times.at(-1) ?? 0).toFixed(0)],
    ['CPU p99', 8, ({ during }) => percentileOf(during.cpuTimes, 0.99).toFixed(0)],
    ['refused', 8, ({ during: { refusals, calls } }) => `${refusals}/${calls}`],
    ['wrong', 6, ({ during }) => String(during.wrongResults)],
    ['sent MB', 8, ({ sent }) => (sent ? (sent.bytes / 1e6).toFixed(1) : 'failed')],
    ['units', 9, ({ sent }) => String(sent?.units ?? '')],
    ['CPU s', 6, ({ sent }) => (sent ? (sent.cpuMs / 1_000).toFixed(1) : '')],
  ]
const nameWidth = 40

/** The first line of the table, with times in milliseconds. */
export const tableHead = `${'attack'.padEnd(nameWidth)}${columns.map(([name, width]) => name.padStart(width)).join('')}  counted by the gateway`

/** The line of one attack. */
export function tableRow(report: AttackReport): string {
  const cells = columns.map(([, width, value]) => value(report).padStart(width)).join('')
  const counted = Object.entries(report.counted).map(([name, count]) => `${name} ${count}`)
  return `${report.name.padEnd(nameWidth)}${cells}  ${counted.join(', ')}`
}
