import type { Refusal } from './types.ts'

/** Why something was refused, as it is counted. */
export type RefusalKind = keyof typeof noRefusals

const noRefusals = {
  /** The node does not offer the protocol. */
  protocol: 0,
  origin: 0,
  ip: 0,
  method: 0,
  rate: 0,
  quota: 0,
  /** The service had too much to do for calls that take long. */
  shed: 0,
}

/** Counts what is refused without waiting. */
export class RefusalCounts {
  readonly #counts = { ...noRefusals }

  /** @returns the refusal, as it came */
  count(refusal: Refusal | undefined): Refusal | undefined {
    if (refusal) this.#counts[kindOf(refusal)] += 1
    return refusal
  }

  states(): Readonly<Record<RefusalKind, number>> {
    return this.#counts
  }
}

function kindOf({ data }: Refusal): RefusalKind {
  if (!data) return 'protocol'
  if ('rule' in data) return data.rule
  return data.reason === 'busy' ? 'shed' : data.reason
}
