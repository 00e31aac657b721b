import { createLruCache } from '@fairlead/runtime'

// The high-water mark of a credential expires after this time without calls.
const lifetimeMs = 300_000
const maxCredentials = 100_000

interface HighWaterMark {
  /** Key of the chain that has the block. The mark applies only to this chain. */
  readonly chain: string
  readonly number: number
  readonly at: number
  /** Time since which the upstreams report no block as high. */
  lowerSince?: number
}

/**
 * High-water mark of the latest block number that each credential has received. It applies to one chain: the node of a
 * credential may change to another one.
 */
export class CredentialHeads {
  readonly #marks = createLruCache<HighWaterMark>({ maxEntries: maxCredentials })
  readonly #graceMs: number

  /**
   * @param graceMs - how long a lower number is attributed to a lagging upstream, in milliseconds; after that the
   * chain is considered shorter
   */
  constructor(graceMs = 10_000) {
    this.#graceMs = graceMs
  }

  /**
   * Returns the lowest number that a credential may receive as the latest block of a chain. -1 when any number is
   * allowed.
   */
  highWaterMark(credentialId: string, chain: string): number {
    const mark = this.#marks.get(credentialId)
    const now = performance.now()
    const isValid =
      mark?.chain === chain &&
      now - mark.at < lifetimeMs &&
      (mark.lowerSince === undefined || now - mark.lowerSince < this.#graceMs)
    return isValid ? mark.number : -1
  }

  /** Records that an upstream has this block and that the credential receives it. */
  record(credentialId: string, chain: string, number: number): void {
    // Another response may have raised the mark since the caller read it.
    if (number < this.highWaterMark(credentialId, chain)) return
    this.#marks.set(credentialId, { chain, number, at: performance.now() })
  }

  /** Records that the upstreams have no block as high as the mark of the credential. */
  miss(credentialId: string, chain: string): void {
    const mark = this.#marks.get(credentialId)
    if (mark?.chain === chain) mark.lowerSince ??= performance.now()
  }
}
