/** How to read a list that is longer than one answer. */
export interface PageOptions {
  /** How many rows to ask for at a time; it changes how many requests are sent, and nothing that is yielded. */
  readonly pageSize?: number | undefined
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal | undefined
}
