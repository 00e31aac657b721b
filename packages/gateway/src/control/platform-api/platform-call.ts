import type { operations, routes, schemas } from '@fairlead/platform-client/contract'
import type { ApiKeyIdentity } from '../records/api-keys.ts'
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

/** Body of the operation's successful answer. */
export type Success<id extends OperationId> = JsonOf<
  operations[id]['responses'][keyof operations[id]['responses'] & (200 | 201)]
>

/** One authenticated request, validated by the contract. */
export interface PlatformCall<id extends OperationId> {
  readonly key: ApiKeyIdentity
  readonly path: Path<id>
  readonly query: Query<id>
  readonly body: Body<id>
  readonly links: PageLinks
}

/** One handler for each operation of the contract: a missing or an extra one does not compile. */
export type Handlers = { readonly [id in OperationId]: (call: PlatformCall<id>) => Promise<Success<id>> }
