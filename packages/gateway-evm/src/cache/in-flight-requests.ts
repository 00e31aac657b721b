import { RehashingMap } from '@fairlead/runtime'
import type { InFlightRequest } from './in-flight-request.ts'

/** Key that identifies a call among all calls of a node. */
export interface CallKey {
  /** The method, and everything else that makes a difference except the params. There are few groups. */
  readonly group: string
  /** The params in canonical form. */
  readonly params: string
}

/** The in-flight requests of one node. They are stored by group, so that a lookup does not build a string. */
export class InFlightRequests {
  readonly #groups = new Map<string, RehashingMap<string, InFlightRequest>>()

  get({ group, params }: CallKey): InFlightRequest | undefined {
    return this.#groups.get(group)?.get(params)
  }

  set({ group, params }: CallKey, inFlight: InFlightRequest): void {
    let requests = this.#groups.get(group)
    if (!requests) this.#groups.set(group, (requests = new RehashingMap()))
    requests.set(params, inFlight)
  }

  /** Removes a request, unless another one has replaced it. */
  delete({ group, params }: CallKey, inFlight: InFlightRequest): void {
    const requests = this.#groups.get(group)
    if (requests?.get(params) === inFlight) requests.delete(params)
  }
}
