import type { Outcome } from './clients.ts'
import type { GeneratedCase } from './generated-case.ts'

const counts = {
  cases: 'cases',
  faults: 'faults',
  calls: 'calls',
  foreign: 'foreign results',
  failures: 'failures',
  permitted: 'permitted failures',
  mismatches: 'mismatches counted',
} as const
const names = Object.keys(counts) as readonly (keyof typeof counts)[]

/** Counts the results of cases. */
export class CaseReport {
  cases = 0
  /** How often a fault has occurred. */
  faults = 0
  calls = 0
  foreign = 0
  /** Failed calls that had to succeed. */
  failures = 0
  /** Failed calls that must not be sent again, or whose fault shows only at the end of a long response. */
  permitted = 0
  /** Responses that the gateway has counted as mismatched. */
  mismatches = 0

  add(other: CaseReport): void {
    for (const name of names) this[name] += other[name]
  }

  get text(): string {
    return names.map((name) => `${this[name]} ${counts[name]}`).join(', ')
  }
}

/** Describes a case and one of its outcomes. */
export function described(generated: GeneratedCase, { call, text }: Outcome): string {
  const { transport, depth, upstreams, acceptsBatches, form, requests } = generated
  const calls = requests[0]?.length
  const settings = { transport, depth, calls, upstreams, acceptsBatches, ...form }
  return `${JSON.stringify(settings)} ${call.method} ${call.number} ${call.id}: ${text.slice(0, 200)}`
}
