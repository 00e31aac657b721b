import type { Rejection } from './types.ts'

/** The reason of a rejection, as a metric label. */
export type RejectionKind = keyof typeof noRejections

const noRejections = {
  /** The node does not offer the protocol. */
  protocol: 0,
  origin: 0,
  ip: 0,
  method: 0,
  rate: 0,
  quota: 0,
  /** The gateway was overloaded and rejected expensive calls. */
  overloaded: 0,
}

/** Counts immediate rejections. */
export class RejectionCounts {
  readonly #counts = { ...noRejections }

  /** @returns the rejection, unchanged */
  count(rejection: Rejection | undefined): Rejection | undefined {
    if (rejection) this.#counts[kindOf(rejection)] += 1
    return rejection
  }

  states(): Readonly<Record<RejectionKind, number>> {
    return this.#counts
  }
}

function kindOf({ data }: Rejection): RejectionKind {
  if (!data) return 'protocol'
  if ('rule' in data) return data.rule
  return data.reason === 'busy' ? 'overloaded' : data.reason
}
