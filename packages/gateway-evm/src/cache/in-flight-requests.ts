import { RehashingMap } from '@fairlead/runtime'
import type { InFlightRequest } from './in-flight-request.ts'

/** Key that identifies a call among all calls of the nodes with the same upstreams. */
export interface CallKey {
  /** The method, and everything else that makes a difference except the params. There are few groups. */
  readonly group: string
  /** The params in canonical form. */
  readonly params: string
  /** A request waits for the turn of its organization, so no call of another organization joins it. */
  readonly organizationId: string
}

/**
 * The in-flight requests of the nodes with the same upstreams. They are stored by group, so that a lookup does not
 * build a string.
 */
export class InFlightRequests {
  readonly #groups = new Map<string, RehashingMap<string, InFlightRequest>>()

  get({ group, params, organizationId }: CallKey): InFlightRequest | undefined {
    let inFlight = this.#groups.get(group)?.get(params)
    while (inFlight !== undefined && inFlight.organizationId !== organizationId) inFlight = inFlight.next
    return inFlight
  }

  set({ group, params }: CallKey, inFlight: InFlightRequest): void {
    let requests = this.#groups.get(group)
    if (!requests) this.#groups.set(group, (requests = new RehashingMap()))
    inFlight.next = requests.get(params)
    requests.set(params, inFlight)
  }

  /** Removes a request. */
  delete({ group, params }: CallKey, inFlight: InFlightRequest): void {
    const requests = this.#groups.get(group)
    let before = requests?.get(params)
    if (requests === undefined || before === undefined) return
    if (before === inFlight) {
      if (inFlight.next) requests.set(params, inFlight.next)
      else requests.delete(params)
      return
    }
    while (before.next && before.next !== inFlight) before = before.next
    before.next = before.next?.next
  }
}
