import type { routes } from '@lodestar/api'

type BeaconEvent = routes.events.BeaconEvent
type Listener = (event: BeaconEvent) => void
type Messages = { [event in BeaconEvent as `${event['type']}`]: event['message'] }

/** Notifies the listeners of chain events. */
export class ChainEvents {
  readonly #listeners = new Set<Listener>()
  readonly #onFault: (error: unknown) => void

  /**
   * @param onFault Called with errors that listeners throw; such an error does not stop the chain.
   */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  /** Whether there is a listener. */
  get hasListeners(): boolean {
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
    // A listener may subscribe more than once.
    const wrapped: Listener = (event) => listener(event)
    this.#listeners.add(wrapped)
    return () => void this.#listeners.delete(wrapped)
  }
}
