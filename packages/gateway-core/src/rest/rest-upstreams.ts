import type { RestUpstream } from './rest-call.ts'
import { RestError } from './rest-error.ts'

/** The connections to the nodes of one protocol: one set for each address, opened when it is first needed. */
export class RestUpstreams {
  readonly #open: (address: string) => RestUpstream
  readonly #byAddress = new Map<string, RestUpstream>()

  /** @param open - opens the connections to a node; throws when the address is not one */
  constructor(open: (address: string) => RestUpstream) {
    this.#open = open
  }

  /** @throws {@link RestError} 503 when the address is not one */
  at(address: string): RestUpstream {
    const known = this.#byAddress.get(address)
    if (known) return known
    try {
      const upstream = this.#open(address)
      this.#byAddress.set(address, upstream)
      return upstream
    } catch {
      // The error quotes the address, and with it the credentials inside.
      throw new RestError(503, 'An upstream address of this node is not an HTTP address.')
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byAddress.values()].map((upstream) => upstream.close()))
  }
}
