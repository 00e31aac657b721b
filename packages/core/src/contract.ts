/** A JSON Schema of draft 2020-12 as data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A query or path parameter of a route. */
export interface Parameter {
  readonly required: boolean
  readonly schema: JsonSchema
}

/** One REST operation as data: what a server routes and validates by. */
export interface Route {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path template with `{name}` placeholders, as the specification writes it. */
  readonly path: string
  /** What the operation belongs to, for example `Debug`. */
  readonly tags?: readonly string[]
  /** Given when callers should move to another operation. */
  readonly deprecated?: true
  /** The day from which on it was deprecated, for example `2026-11-22`. */
  readonly deprecatedSince?: string
  /** The day on which it ends, for example `2027-06-30`. */
  readonly sunset?: string
  /** Given when the operation may still change or go. */
  readonly stability?: 'experimental'
  /** What a caller must be allowed to do, for example `projects:read`; empty when it is enough to be known. */
  readonly scopes?: readonly string[]
  /** Given when nobody has to be known. */
  readonly public?: true
  readonly pathParameters: Readonly<Record<string, Parameter>>
  readonly query: Readonly<Record<string, Parameter>>
  /** Request headers with a meaning of their own, by name as the specification writes it. */
  readonly headers?: Readonly<Record<string, Parameter>>
  readonly requestBody?: {
    readonly required: boolean
    /** Of the JSON form. */
    readonly schema: JsonSchema
    /** Left out when JSON is the only one. */
    readonly mediaTypes?: readonly string[]
  }
  /** By status code. */
  readonly responses: Readonly<Record<string, RouteResponse>>
}

/** An answer that a route may give. */
export interface RouteResponse {
  /** Of the JSON form; for `text/event-stream`, of one event. */
  readonly schema?: JsonSchema
  /** Left out when JSON is the only one, or when there is no body. */
  readonly mediaTypes?: readonly string[]
  /** Names of the headers beside the usual ones. */
  readonly headers?: readonly string[]
}

/** One JSON-RPC method as data. */
export interface Method {
  readonly name: string
  /** Whether `params` travels as an array or as an object. */
  readonly paramStructure: 'by-position' | 'by-name'
  /** In order of position. */
  readonly params: readonly (Parameter & { readonly name: string })[]
  /** False when sending the call twice may have another effect than sending it once. */
  readonly idempotent: boolean
  /** What the method belongs to, for example `block` or `trace`. */
  readonly tags?: readonly string[]
  /** Node clients that serve it. */
  readonly availability?: readonly string[]
  /** Left out for a method that answers over HTTP and WebSocket. */
  readonly transports?: readonly ('http' | 'websocket')[]
  readonly result: JsonSchema
}

/** Something that can be subscribed to over a WebSocket. */
export interface SubscriptionKind {
  /** Left out when there are none. */
  readonly options?: JsonSchema
  readonly notification: JsonSchema
  readonly availability: readonly string[]
}

/** What is particular about a chain. */
export interface Chain {
  /** What follows the credential in the address of its nodes; null when nothing does. */
  readonly path: string | null
  /** Chain ids by network, as quantities. */
  readonly networks: Readonly<Record<string, string>>
  /** Whether a block is final at once, or by the checkpoints behind the block tags `safe` and `finalized`. */
  readonly finality: 'instant' | 'checkpoint' | 'unknown'
  /** Methods that hosted nodes offer. */
  readonly methods: readonly string[]
}
