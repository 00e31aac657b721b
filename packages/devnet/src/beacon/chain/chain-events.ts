import type { routes } from '@lodestar/api'

type BeaconEvent = routes.events.BeaconEvent
type Listener = (event: BeaconEvent) => void
type Messages = { [event in BeaconEvent as `${event['type']}`]: event['message'] }

/** Tells everybody who listens what happens on the chain. */
export class ChainEvents {
  readonly #listeners = new Set<Listener>()
  readonly #onFault: (error: unknown) => void

  /** @param onFault Hears what listeners throw; it must not stop the chain. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  /** Whether there is anybody to make an effort for. */
  get heard(): boolean {
    return this.#listeners.size > 0
  }

  emit<topic extends keyof Messages>(topic: topic, message: Messages[topic]): void {
    for (const listener of this.#listeners) {
      try {
        listener({ type: topic, message } as unknown as BeaconEvent)
      } catch (error) {
        this.#onFault(error)
      }
    }
  }

  subscribe(listener: Listener): () => void {
    // One listener may subscribe more than once.
    const own: Listener = (event) => listener(event)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }
}
