/** A subscriber of a shared subscription. */
export interface Subscriber {
  /** @param result - the notification's result as JSON, the same text for all subscribers */
  deliver(result: string): void
  /** The subscription ends, because delivery cannot continue without a gap. */
  overflow(reason: string): void
}
