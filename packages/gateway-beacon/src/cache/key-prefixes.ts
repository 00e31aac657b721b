import { createLruCache } from '@fairlead/runtime'

interface SharedPrefix {
  readonly prefix: string
  /** Number of pools that have used it. Dropped pools are not reported. */
  pools: number
}

const maxLists = 20_000

/** Prefixes of cache keys: one for all pools of the same upstreams, in any order. */
export class KeyPrefixes {
  readonly #byList = createLruCache<SharedPrefix>({ maxEntries: maxLists })
  #last = 0

  /** Returns the prefix of a list of upstreams. */
  of(text: string): string {
    const list = sorted(text)
    const shared = this.#byList.get(list) ?? { prefix: this.#create(), pools: 0 }
    shared.pools += 1
    this.#byList.set(list, shared)
    return shared.prefix
  }

  /**
   * Takes the prefix of a list for one pool alone.
   *
   * @returns the same prefix, or a new one when other pools may have it
   */
  take(text: string, prefix: string): string {
    const list = sorted(text)
    const shared = this.#byList.get(list)
    if (shared?.prefix !== prefix || shared.pools > 1) return this.#create()
    this.#byList.delete(list)
    return prefix
  }

  #create(): string {
    return `${(this.#last += 1)}\n`
  }
}

function sorted(text: string): string {
  return text.split(/\s+/).toSorted().join(' ')
}
