import { RehashingMap } from '@fairlead/http1'
import type { Flight } from './in-flight-request.ts'

/** What tells one call from all others of a node. */
export interface CallKey {
  /** The method, with whatever else makes a difference beside the params. There are few of these. */
  readonly group: string
  /** The params, in the form that equal ones share. */
  readonly params: string
}

/** The calls of one node that are under way. They are kept by group, so that no text has to be made to look one up. */
export class Flights {
  readonly #groups = new Map<string, RehashingMap<string, Flight>>()

  get({ group, params }: CallKey): Flight | undefined {
    return this.#groups.get(group)?.get(params)
  }

  set({ group, params }: CallKey, flight: Flight): void {
    let known = this.#groups.get(group)
    if (!known) this.#groups.set(group, (known = new RehashingMap()))
    known.set(params, flight)
  }

  /** Forgets a call, unless another one has taken its place. */
  delete({ group, params }: CallKey, flight: Flight): void {
    const known = this.#groups.get(group)
    if (known?.get(params) === flight) known.delete(params)
  }
}
