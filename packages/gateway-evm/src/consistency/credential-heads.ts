import { LRUCache } from 'lru-cache'

// Whoever comes back later than this starts anew.
const lifetimeMs = 300_000
const maxCredentials = 100_000

interface Seen {
  readonly number: number
  readonly at: number
  /** Since when the nodes know of no block as high. */
  lowerSince?: number
}

/** The highest block that each credential was shown as the newest one of its node. */
export class CredentialHeads {
  readonly #seen = new LRUCache<string, Seen>({ max: maxCredentials })
  readonly #patienceMs: number

  /**
   * @param patienceMs - how long a lower height is taken for that of a node which is behind; after that the chain has
   * become shorter
   */
  constructor(patienceMs = 10_000) {
    this.#patienceMs = patienceMs
  }

  /** Height below which a credential is shown no newest block; -1 when any will do. */
  floor(credentialId: string): number {
    const seen = this.#seen.get(credentialId)
    const now = performance.now()
    const isGood =
      seen &&
      now - seen.at < lifetimeMs &&
      (seen.lowerSince === undefined || now - seen.lowerSince < this.#patienceMs)
    return isGood ? seen.number : -1
  }

  /** Takes note that a node has this block, and that the credential is shown it. */
  show(credentialId: string, number: number): void {
    // Another answer may have been shown since the caller looked.
    if (number < this.floor(credentialId)) return
    this.#seen.set(credentialId, { number, at: performance.now() })
  }

  /** Takes note that the nodes know of no block as high as the credential was shown. */
  miss(credentialId: string): void {
    const seen = this.#seen.get(credentialId)
    if (seen) seen.lowerSince ??= performance.now()
  }
}
