import { LRUCache } from 'lru-cache'
import type { RestUpstream } from './rest-call.ts'
import { RestError } from './rest-error.ts'

// URLs of upstreams change, and nobody says which ones are gone.
const mostKept = 20_000

/** The connections to the upstreams of one protocol: one set for each URL, opened when it is first needed. */
export class RestUpstreams {
  readonly #open: (url: string) => RestUpstream
  // What nobody has used for longest is let go of: its connections end by themselves.
  readonly #byUrl = new LRUCache<string, RestUpstream>({ max: mostKept })

  /** @param open - opens the connections to an upstream; throws when the URL is not one */
  constructor(open: (url: string) => RestUpstream) {
    this.#open = open
  }

  /** @throws {@link RestError} 503 when the URL is not one */
  at(url: string): RestUpstream {
    const known = this.#byUrl.get(url)
    if (known) return known
    try {
      const upstream = this.#open(url)
      this.#byUrl.set(url, upstream)
      return upstream
    } catch {
      // The error quotes the URL, and with it the credentials inside.
      throw new RestError(503, 'An upstream address of this node is not an HTTP address.')
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byUrl.values()].map((upstream) => upstream.close()))
  }
}
