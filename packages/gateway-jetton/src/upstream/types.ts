import type { CancellationSignal, Tenant } from '@fairlead/runtime'
/** A call of the jetton chain API that conforms to the contract. */
export interface JettonCall {
  readonly family: 'v2' | 'v3'
  /** Operation of the contract, for example `listJettonBurns`. */
  readonly operationId: string
  /**
   * Parameters by name, with the types and defaults of the contract. It makes no difference whether they came in the
   * query, in a body or by JSON-RPC.
   */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The client. */
  readonly tenant: Tenant
  /** Aborts when the client disconnects. */
  readonly signal: CancellationSignal
}

/** A request to an upstream, in the upstream's format. */
export interface UpstreamRequest {
  readonly family: 'v2' | 'v3'
  readonly method: 'GET' | 'POST'
  /** Path below the family, for example `/jetton/burns`. */
  readonly path: string
  /** Query parameters. A list repeats its key; undefined is omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** The client; undefined for requests of the gateway itself. */
  readonly tenant: Tenant | undefined
  readonly signal: CancellationSignal
}

/** An upstream response of any status. For a status other than 2xx, the body has the format of the API's errors. */
export interface UpstreamResponse {
  readonly status: number
  /** The parsed JSON body; undefined when it is not JSON. */
  readonly body: unknown
}

/** The upstreams of a node. */
export interface NodeUpstreams {
  /**
   * Sends a request to the upstream and buffers the whole response.
   *
   * @throws RestError with status 502, 503 or 504 when the exchange failed, 429 when the upstream is overloaded
   */
  request(request: UpstreamRequest): Promise<UpstreamResponse>
}

/**
 * Responds to a call in the format of the contract where an upstream uses another format.
 *
 * @returns the content of the response; for v2 by JSON-RPC it becomes the `result`
 * @throws JettonError when the contract has a response with a status other than 200
 */
export type JettonAdapter = (call: JettonCall, upstreams: NodeUpstreams) => Promise<unknown>
