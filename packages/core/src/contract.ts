/** A JSON Schema of draft 2020-12 as data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A query or path parameter of a route. */
export interface Parameter {
  readonly required: boolean
  readonly schema: JsonSchema
}

/** One REST operation as data, for routing and validation on a server. */
export interface Route {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path template with `{name}` placeholders, as the specification writes it. */
  readonly path: string
  /** Group of the operation, for example `Debug`. */
  readonly tags?: readonly string[]
  /** Set when callers should migrate to another operation. */
  readonly deprecated?: true
  /** The date since which it is deprecated, for example `2026-11-22`. */
  readonly deprecatedSince?: string
  /** The date on which it is removed, for example `2027-06-30`. */
  readonly sunset?: string
  /** Set when the operation may still change or be removed. */
  readonly stability?: 'experimental'
  /** Scopes that the caller needs, for example `projects:read`; empty when authentication is sufficient. */
  readonly scopes?: readonly string[]
  /** Set when no authentication is required. */
  readonly public?: true
  readonly pathParameters: Readonly<Record<string, Parameter>>
  readonly query: Readonly<Record<string, Parameter>>
  /** Request headers that the operation defines, by their name in the specification. */
  readonly headers?: Readonly<Record<string, Parameter>>
  readonly requestBody?: {
    readonly required: boolean
    /** Schema of the JSON form. */
    readonly schema: JsonSchema
    /** Omitted when JSON is the only media type. */
    readonly mediaTypes?: readonly string[]
  }
  /** Responses by status code. */
  readonly responses: Readonly<Record<string, RouteResponse>>
}

/** A possible response of a route. */
export interface RouteResponse {
  /** Schema of the JSON form; for `text/event-stream`, of one event. */
  readonly schema?: JsonSchema
  /** Omitted when JSON is the only media type, or when there is no body. */
  readonly mediaTypes?: readonly string[]
  /** Names of the headers in addition to the common ones. */
  readonly headers?: readonly string[]
}

/** One JSON-RPC method as data. */
export interface Method {
  readonly name: string
  /** Whether `params` is sent as an array or as an object. */
  readonly paramStructure: 'by-position' | 'by-name'
  /** In order of position. */
  readonly params: readonly (Parameter & { readonly name: string })[]
  /** False when sending the call twice can have another effect than sending it once. */
  readonly idempotent: boolean
  /** Groups of the method, for example `block` or `trace`. */
  readonly tags?: readonly string[]
  /** Node clients that implement it. */
  readonly availability?: readonly string[]
  /** Omitted for a method that is available over HTTP and WebSocket. */
  readonly transports?: readonly ('http' | 'websocket')[]
  readonly result: JsonSchema
}

/** A kind of subscription over a WebSocket. */
export interface SubscriptionKind {
  /** Omitted when there are none. */
  readonly options?: JsonSchema
  readonly notification: JsonSchema
  readonly availability: readonly string[]
}

/** Properties of a chain. */
export interface Chain {
  /** The path after the credential in the URL of its nodes; null when there is none. */
  readonly path: string | null
  /** Chain ids by network, as hex quantities. */
  readonly networks: Readonly<Record<string, string>>
  /** Whether a block is final immediately, or by the checkpoints behind the block tags `safe` and `finalized`. */
  readonly finality: 'instant' | 'checkpoint' | 'unknown'
  /** Methods that hosted nodes support. */
  readonly methods: readonly string[]
}
