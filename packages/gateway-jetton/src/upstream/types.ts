import type { CancellationSignal } from '@fairlead/http1'
/** One call of the jetton chain API that was found to follow the contract. */
export interface JettonCall {
  readonly family: 'v2' | 'v3'
  /** Operation of the contract, for example `listJettonBurns`. */
  readonly operationId: string
  /**
   * Parameters by name, of the types of the contract and with its defaults filled in; whether they came in the query, in
   * a body or by JSON-RPC makes no difference.
   */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Ends when the client goes away. */
  readonly signal: CancellationSignal
}

/** A request to a node, in the node's own words. */
export interface JettonNodeRequest {
  readonly family: 'v2' | 'v3'
  readonly method: 'GET' | 'POST'
  /** Path below the family, for example `/jetton/burns`. */
  readonly path: string
  /** Query parameters; a list repeats its key, undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal: CancellationSignal
}

/** What a node answered, whatever its status; of one that is not 2xx the body is in the shape of the API's errors. */
export interface JettonNodeAnswer {
  readonly status: number
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown
}

/** The node behind a hosted node. */
export interface JettonNode {
  /**
   * Asks the node and holds its answer whole.
   *
   * @throws RestError with status 502, 503 or 504 when the exchange came to no end, 429 when the node has too much to do
   */
  ask(request: JettonNodeRequest): Promise<JettonNodeAnswer>
}

/**
 * Answers a call in the shape of the contract where a node has another one.
 *
 * @returns what the answer holds: of v2 by JSON-RPC it becomes the `result`
 * @throws JettonError for what the contract answers with another status than 200
 */
export type JettonAdapter = (call: JettonCall, node: JettonNode) => Promise<unknown>
