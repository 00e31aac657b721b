import type { Epoch, ValidatorIndex } from '@lodestar/types'

/** The validators with messages in each of the last epochs. */
export class Liveness {
  readonly #live = new Map<Epoch, Set<ValidatorIndex>>()

  record(epoch: Epoch, validators: readonly ValidatorIndex[]): void {
    const live = this.#live.get(epoch) ?? new Set()
    for (const validator of validators) live.add(validator)
    this.#live.set(epoch, live)
  }

  isLive(epoch: Epoch, validator: ValidatorIndex): boolean {
    return this.#live.get(epoch)?.has(validator) ?? false
  }

  prune(currentEpoch: Epoch): void {
    for (const epoch of this.#live.keys()) {
      if (epoch < currentEpoch - 1) this.#live.delete(epoch)
    }
  }
}
