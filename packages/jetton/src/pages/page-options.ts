/** How to read a list that is longer than one response. */
export interface PageOptions {
  /** Number of rows per request. It affects the number of requests, not the rows that are yielded. */
  readonly pageSize?: number | undefined
  /** Cancels the iteration with its reason. */
  readonly signal?: AbortSignal | undefined
}
