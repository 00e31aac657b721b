import { RehashingMap } from '@fairlead/runtime'
import type { InFlightRequest } from './in-flight-request.ts'

/**
 * The in-flight requests of the nodes with the same upstreams. They are stored by group, so that a lookup does not
 * build a string.
 */
export class InFlightRequests {
  readonly #groups = new Map<string, RehashingMap<string, InFlightRequest>>()

  /** Returns the latest request that is identical to a given one. */
  get({ group, params, organizationId }: InFlightRequest): InFlightRequest | undefined {
    let inFlight = this.#groups.get(group)?.get(params)
    while (inFlight !== undefined && inFlight.organizationId !== organizationId) inFlight = inFlight.next
    return inFlight
  }

  add(inFlight: InFlightRequest): void {
    const { group, params } = inFlight
    let requests = this.#groups.get(group)
    if (!requests) this.#groups.set(group, (requests = new RehashingMap()))
    inFlight.next = requests.get(params)
    requests.set(params, inFlight)
  }

  delete(inFlight: InFlightRequest): void {
    const { group, params } = inFlight
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
