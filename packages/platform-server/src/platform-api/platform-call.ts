import type { operations, routes, schemas } from '@fairlead/platform-client/contract'
import type { Readable } from 'node:stream'
import type { Cookies } from 'cookie'
import type { Identity, Origin } from '../identity/identity.ts'
import type { Answer } from './answer.ts'
import type { PageLinks } from './page-links.ts'

/** Name of an operation of the contract. */
export type OperationId = keyof operations & keyof typeof routes

type Given<id extends OperationId> = operations[id]['parameters'] extends { query?: infer query }
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
export type Query<id extends OperationId> = Completed<Given<id>, WithDefault<QuerySchemas<id>>>

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

/** Body of the operation's successful answer: JSON, a stream of another type, or nothing. */
export type Success<id extends OperationId> = BodyOf<
  operations[id]['responses'][keyof operations[id]['responses'] & (200 | 201 | 202 | 204 | 302)]
>

/** Who calls an operation; nobody has to be known for a public one. */
export type Caller<id extends OperationId> = (typeof routes)[id] extends { readonly public: true }
  ? undefined
  : Identity

/** How a request reached the service. */
export interface Via {
  /** Address under which the client reaches the service, without a slash at the end. */
  readonly baseUrl: string
  /** Whether the client came by TLS, as far as a trusted proxy or this service knows. */
  readonly isSecure: boolean
  /** By name; of several with one name the first, whose path is the most specific. */
  readonly cookies: Readonly<Cookies>
}

/** One request that may be made, validated by the contract. */
export interface PlatformCall<id extends OperationId> {
  readonly identity: Caller<id>
  readonly path: Path<id>
  readonly query: Query<id>
  readonly body: Body<id>
  /** What links to other pages of a list are made of. */
  readonly links: PageLinks
  /** Versions of which one must be that of the object; undefined when any will do. */
  readonly ifMatch: readonly number[] | undefined
  readonly origin: Origin
  readonly via: Via
}

/** One handler for each operation of the contract: a missing or an extra one does not compile. */
export type Handlers = {
  readonly [id in OperationId]: (call: PlatformCall<id>) => Promise<Success<id> | Answer<Success<id>>>
}
