import { RehashingMap } from '@fairlead/http1'
import type { InFlightRequest } from './in-flight-request.ts'

/** What tells one call from all others of a node. */
export interface CallKey {
  /** The method, with whatever else makes a difference beside the params. There are few of these. */
  readonly group: string
  /** The params, in the form that equal ones share. */
  readonly params: string
}

/** The calls of one node that are under way. They are kept by group, so that no text has to be made to look one up. */
export class InFlightRequests {
  readonly #groups = new Map<string, RehashingMap<string, InFlightRequest>>()

  get({ group, params }: CallKey): InFlightRequest | undefined {
    return this.#groups.get(group)?.get(params)
  }

  set({ group, params }: CallKey, inFlight: InFlightRequest): void {
    let known = this.#groups.get(group)
    if (!known) this.#groups.set(group, (known = new RehashingMap()))
    known.set(params, inFlight)
  }

  /** Forgets a call, unless another one has taken its place. */
  delete({ group, params }: CallKey, inFlight: InFlightRequest): void {
    const known = this.#groups.get(group)
    if (known?.get(params) === inFlight) known.delete(params)
  }
}
