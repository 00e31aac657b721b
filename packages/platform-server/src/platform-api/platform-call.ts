import type { operations, routes, schemas } from '@fairlead/platform-client/contract'
import type { Readable } from 'node:stream'
import type { Cookies } from 'cookie'
import type { Identity, Origin } from '../identity/identity.ts'
import type { OperationResponse } from './operation-response.ts'
import type { PageLinks } from './page-links.ts'

/** Id of an operation of the contract. */
export type OperationId = keyof operations & keyof typeof routes

type QueryInput<id extends OperationId> = operations[id]['parameters'] extends { query?: infer query }
  ? NonNullable<query>
  : never

type WithDefault<properties> = {
  [name in keyof properties]: properties[name] extends { readonly default: unknown } ? name : never
}[keyof properties]

type Completed<value, defaulted> = [value] extends [never]
  ? undefined
  : value & { readonly [name in defaulted & keyof value]-?: NonNullable<value[name]> }

type QuerySchemas<id extends OperationId> = {
  [name in keyof (typeof routes)[id]['query']]: (typeof routes)[id]['query'][name] extends {
    readonly schema: infer schema
  }
    ? schema
    : never
}

type BodyProperties<route> = route extends {
  readonly requestBody: {
    readonly schema: { readonly $ref: `${string}/schemas/${infer name extends keyof typeof schemas}` }
  }
}
  ? (typeof schemas)[name] extends { readonly properties: infer properties }
    ? properties
    : unknown
  : unknown

/** Query parameters of an operation after validation: one with a default always has a value. */
export type Query<id extends OperationId> = Completed<QueryInput<id>, WithDefault<QuerySchemas<id>>>

/** Parameters in the path of an operation. */
export type Path<id extends OperationId> = operations[id]['parameters'] extends { path: infer path }
  ? path
  : undefined

type JsonOf<holder> = holder extends { content: { 'application/json': infer body } } ? body : undefined

/** Request body of an operation after validation: a field with a default always has a value. */
export type Body<id extends OperationId> = Completed<
  JsonOf<NonNullable<operations[id]['requestBody']>>,
  WithDefault<BodyProperties<(typeof routes)[id]>>
>

type BodyOf<holder> = holder extends { content: { 'text/csv': unknown } } ? Readable : JsonOf<holder>

/** Body of the operation's successful response: JSON, a stream of another type, or nothing. */
export type Success<id extends OperationId> = BodyOf<
  operations[id]['responses'][keyof operations[id]['responses'] & (200 | 201 | 202 | 204 | 302)]
>

/** Caller of an operation; undefined for a public operation. */
export type Caller<id extends OperationId> = (typeof routes)[id] extends { readonly public: true }
  ? undefined
  : Identity

/** Origin of a request: base URL, transport security and cookies. */
export interface RequestOrigin {
  /** URL under which the client reaches the gateway, without a trailing slash. */
  readonly baseUrl: string
  /** Whether the client uses TLS, according to a trusted proxy or the connection itself. */
  readonly isSecure: boolean
  /** Cookies by name; of several with one name, the first, which has the most specific path. */
  readonly cookies: Readonly<Cookies>
}

/** An authorized request, validated against the contract. */
export interface PlatformCall<id extends OperationId> {
  readonly identity: Caller<id>
  readonly path: Path<id>
  readonly query: Query<id>
  readonly body: Body<id>
  /** Inputs of the links to other pages of a list. */
  readonly links: PageLinks
  /** Versions from If-Match, one of which must be the object's; undefined when any version matches. */
  readonly ifMatch: readonly number[] | undefined
  readonly origin: Origin
  readonly requestOrigin: RequestOrigin
}

/** One handler for each operation of the contract; a missing or extra handler is a compile error. */
export type Handlers = {
  readonly [id in OperationId]: (
    call: PlatformCall<id>,
  ) => Promise<Success<id> | OperationResponse<Success<id>>>
}
