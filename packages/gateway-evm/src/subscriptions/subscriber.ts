/** One who takes part in a shared subscription. */
export interface Subscriber {
  /** @param result - the notification's result as JSON, the same text for all */
  deliver(result: string): void
  /** The subscription ends here, as nothing could be delivered without a gap. */
  overflow(reason: string): void
}

/** Ends a part in a shared subscription. */
export type Leave = () => void
