import type { JsonSchema } from '../schema/json-schema.ts'

/** An operation, parsed from its document for one page. */
export type Operation = RestOperation | RpcOperation | GrpcOperation

interface OperationBase {
  /** Unique in its document; the last part of its URL. */
  readonly id: string
  /** Name in lists: a method, or an operation id. */
  readonly name: string
  /** Its tag or service. */
  readonly group: string
  readonly summary: string
  /** Markdown. */
  readonly description: string
  readonly isDeprecated: boolean
}

/** An operation of a REST interface. */
export interface RestOperation extends OperationBase {
  readonly kind: 'rest'
  readonly method: string
  /** Template with `{name}` placeholders. */
  readonly path: string
  readonly isExperimental: boolean
  /** Scopes that a caller of the platform needs; undefined when a credential of a node is used. */
  readonly scopes: readonly string[] | undefined
  /** Whether no authentication is required. */
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  readonly responses: readonly Response[]
}

/** A parameter in path, query or headers. */
export interface Parameter {
  readonly name: string
  readonly location: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly isDeprecated: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
}

/** The body of a request. */
export interface Body {
  readonly isRequired: boolean
  readonly description: string
  readonly contents: readonly Content[]
}

/** One media type of a body. */
export interface Content {
  readonly mediaType: string
  /** Undefined for bytes. */
  readonly schema: JsonSchema | undefined
  readonly examples: readonly Example[]
}

/** An example value. */
export interface Example {
  readonly title: string
  readonly value: unknown
}

/** A response by its status. */
export interface Response {
  readonly status: string
  readonly description: string
  readonly headers: readonly Header[]
  readonly contents: readonly Content[]
}

/** A header of a response. */
export interface Header {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** A method of JSON-RPC. */
export interface RpcOperation extends OperationBase {
  readonly kind: 'rpc'
  readonly isByName: boolean
  readonly isIdempotent: boolean
  readonly params: readonly RpcParam[]
  readonly result: { readonly description: string; readonly schema: JsonSchema }
  /** Result schemas of calls whose parameters have certain values. */
  readonly overloads: readonly { readonly when: Json; readonly schema: JsonSchema }[]
  readonly subscriptions: readonly Subscription[]
  readonly errors: readonly RpcError[]
  readonly examples: readonly RpcExample[]
  readonly transports: readonly string[]
  /** Node clients that implement it; empty when unknown. */
  readonly availability: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

/** A parameter of a method. */
export interface RpcParam {
  readonly name: string
  readonly isRequired: boolean
  readonly description: string
  readonly schema: JsonSchema
}

/** A kind of subscription. */
export interface Subscription {
  readonly kind: string
  readonly summary: string
  readonly options: JsonSchema | undefined
  readonly notification: JsonSchema
  readonly availability: readonly string[]
}

/** A possible error of a method. */
export interface RpcError {
  readonly code: number
  readonly message: string
}

/** A call and its result. */
export interface RpcExample {
  readonly title: string
  readonly params: readonly { readonly name: string; readonly value: unknown }[]
  readonly result: unknown
}

/** A method of a gRPC service. */
export interface GrpcOperation extends OperationBase {
  readonly kind: 'grpc'
  /** Path of the call, for example `geyser.Geyser/Ping`. */
  readonly path: string
  readonly request: GrpcMessage
  readonly response: GrpcMessage
}

/** A message of a call. */
export interface GrpcMessage {
  readonly schema: JsonSchema
  readonly isStream: boolean
}
