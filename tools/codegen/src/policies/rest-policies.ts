import type { Json } from '../bundle.ts'
import { policyExtension } from '../policy-extension.ts'
import { costSchema, policyReader, policyTable } from './read-policy.ts'

/** The policy of an operation, as the OpenAPI documents have it. */
interface RestPolicy {
  readonly cost: object
  readonly cache?: RestCache
  readonly resend?: 'always' | 'unseen'
}

interface RestCache {
  readonly kind: 'none' | 'constant' | 'resource'
  readonly param?: string
}

const resend = {
  description:
    'When a call may be sent again, if its HTTP method does not tell: `always` for a read by `POST`. By default, `always` for `GET`, and `unseen` otherwise.',
  enum: ['always', 'unseen'],
}

const cache = {
  description:
    '`constant`: the same for the whole chain. `resource`: belongs to the block or state that the path parameter `param` identifies.',
  type: 'object',
  discriminator: { propertyName: 'kind' },
  required: ['kind'],
  oneOf: [
    { properties: { kind: { enum: ['none', 'constant'] } }, additionalProperties: false },
    {
      properties: { kind: { const: 'resource' }, param: { type: 'string' } },
      required: ['param'],
      additionalProperties: false,
    },
  ],
}

const readers = {
  'without cache': policyReader({
    type: 'object',
    properties: { cost: costSchema, resend },
    required: ['cost'],
    additionalProperties: false,
  }),
  cached: policyReader({
    type: 'object',
    properties: { cost: costSchema, resend, cache },
    required: ['cost', 'cache'],
    additionalProperties: false,
  }),
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Generates the policies of all operations of an OpenAPI document for the gateway.
 *
 * @param document - bundled, with policies
 * @param contract - type of the table of operations in the contract, for example `typeof routes`
 * @param imports - what the generated file imports: the contract, and the type `Policy`
 * @param kind - whether the gateway caches responses of the API
 * @throws Error that names the operation, the field and the rule
 */
export function restPolicies(
  document: Json,
  contract: string,
  imports: string,
  kind: keyof typeof readers,
): string {
  const read = readers[kind]
  const policies = Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, item]) =>
    verbs.flatMap((verb) => {
      const operation = item[verb] as Json | undefined
      if (!operation) return []
      const id = operation['operationId'] as string
      const policy = read(id, operation[policyExtension]) as RestPolicy
      return [[id, resolved({ id, path, isRead: verb === 'get' }, policy)] as const]
    }),
  )
  const sorted = policies.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${imports}
/** The policy of every operation by operation id. */
export const policies: Readonly<Record<keyof ${contract}, Policy>> = ${policyTable(Object.fromEntries(sorted))}
`
}

interface OperationParts {
  readonly id: string
  readonly path: string
  readonly isRead: boolean
}

function resolved(operation: OperationParts, { cost, resend: given, cache: rule }: RestPolicy): object {
  const derived = operation.isRead ? 'always' : 'unseen'
  if (given === derived)
    throw failure(operation, 'resend', `must be omitted, as the HTTP method implies ${derived}`)
  const resending = given ?? derived
  return { cost, resending, ...(rule && { cache: cacheOf(operation, rule) }) }
}

function cacheOf(operation: OperationParts, { kind, param }: RestCache): object | undefined {
  if (kind === 'none') return undefined
  if (!operation.isRead)
    throw failure(operation, 'cache.kind', 'must be none for an operation other than GET')
  if (param !== undefined && !operation.path.includes(`{${param}}`))
    throw failure(operation, 'cache.param', `must name a path parameter, but ${param} is none`)
  return { kind, param }
}

function failure({ id }: OperationParts, field: string, rule: string): Error {
  return new Error(`${id}: ${policyExtension}.${field} ${rule}`)
}
