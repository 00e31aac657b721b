import { LRUCache } from 'lru-cache'

// The high-water mark of a credential expires after this time without calls.
const lifetimeMs = 300_000
const maxCredentials = 100_000

interface Seen {
  readonly number: number
  readonly at: number
  /** Time since which the upstreams report no block as high. */
  lowerSince?: number
}

/** High-water mark of the latest block number that each credential has received. */
export class CredentialHeads {
  readonly #seen = new LRUCache<string, Seen>({ max: maxCredentials })
  readonly #patienceMs: number

  /**
   * @param patienceMs - how long a lower number is attributed to a lagging upstream, in milliseconds; after that the
   * chain is considered shorter
   */
  constructor(patienceMs = 10_000) {
    this.#patienceMs = patienceMs
  }

  /** Returns the lowest number that a credential may receive as the latest block. -1 when any number is allowed. */
  floor(credentialId: string): number {
    const seen = this.#seen.get(credentialId)
    const now = performance.now()
    const isGood =
      seen &&
      now - seen.at < lifetimeMs &&
      (seen.lowerSince === undefined || now - seen.lowerSince < this.#patienceMs)
    return isGood ? seen.number : -1
  }

  /** Records that an upstream has this block and that the credential receives it. */
  show(credentialId: string, number: number): void {
    // Another response may have raised the mark since the caller read it.
    if (number < this.floor(credentialId)) return
    this.#seen.set(credentialId, { number, at: performance.now() })
  }

  /** Records that the upstreams have no block as high as the mark of the credential. */
  miss(credentialId: string): void {
    const seen = this.#seen.get(credentialId)
    if (seen) seen.lowerSince ??= performance.now()
  }
}
