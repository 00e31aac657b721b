import type { JsonSchema } from '../schema/json-schema.ts'

/** Something that can be called, read from its document for one page. */
export type Operation = RestOperation | RpcOperation | GrpcOperation

interface OperationBase {
  /** Unique in its document; the last part of its address. */
  readonly id: string
  /** What it is called in lists: a method, or an operation id. */
  readonly name: string
  /** Tag or service that it belongs to. */
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
  /** Template with `{name}` for what goes into it. */
  readonly path: string
  readonly isExperimental: boolean
  /** What a caller of the platform must be allowed to; undefined where a credential of a node counts. */
  readonly scopes: readonly string[] | undefined
  /** Whether nobody has to be known. */
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  readonly responses: readonly Response[]
}

/** What goes into path, query or headers. */
export interface Parameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly isDeprecated: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
}

/** What a request carries. */
export interface Body {
  readonly isRequired: boolean
  readonly description: string
  readonly contents: readonly Content[]
}

/** One form of a body. */
export interface Content {
  readonly mediaType: string
  /** Undefined for bytes. */
  readonly schema: JsonSchema | undefined
  readonly examples: readonly Example[]
}

/** A value as it may be sent. */
export interface Example {
  readonly title: string
  readonly value: unknown
}

/** An answer by its status. */
export interface Response {
  readonly status: string
  readonly description: string
  readonly headers: readonly Header[]
  readonly contents: readonly Content[]
}

/** A header of an answer. */
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
  /** Results of calls whose parameters hold certain values. */
  readonly overloads: readonly { readonly when: Json; readonly schema: JsonSchema }[]
  readonly subscriptions: readonly Subscription[]
  readonly errors: readonly RpcError[]
  readonly examples: readonly RpcExample[]
  readonly transports: readonly string[]
  /** Node clients that serve it; empty where that is not told. */
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

/** Something that can be subscribed to. */
export interface Subscription {
  readonly kind: string
  readonly summary: string
  readonly options: JsonSchema | undefined
  readonly notification: JsonSchema
  readonly availability: readonly string[]
}

/** An error that a method may answer with. */
export interface RpcError {
  readonly code: number
  readonly message: string
}

/** A call and what it brought. */
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
