import type { Json } from './bundle.ts'
import { resolveReference } from './schema-references.ts'

/** A method of the bundled OpenRPC document, limited to the fields that the generator reads. */
export interface RpcMethod extends Json {
  readonly name: string
  readonly summary?: string
  readonly description?: string
  readonly paramStructure?: 'by-name' | 'by-position' | 'either'
  readonly params: readonly RpcParam[]
  readonly result: { readonly name: string; readonly description?: string; readonly schema: Json }
  readonly tags?: readonly { readonly name: string }[]
  readonly deprecated?: boolean
  readonly 'x-idempotent'?: boolean
  readonly 'x-overloads'?: readonly { readonly when: Json; readonly result: Json }[]
  /** Node clients that serve the method. */
  readonly 'x-availability'?: readonly string[]
  /** Absent for a method that is available over HTTP and WebSocket. */
  readonly 'x-transports'?: readonly string[]
  readonly 'x-subscriptions'?: Readonly<Record<string, RpcSubscription>>
}

/** A subscription kind. */
export interface RpcSubscription extends Json {
  readonly summary: string
  readonly options?: Json
  readonly notification: Json
  readonly 'x-availability'?: readonly string[]
}

export interface RpcParam extends Json {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  readonly schema: Json
}

/** Returns the methods of a document, sorted by name, with references resolved. */
export function methodsOf(document: Json): readonly RpcMethod[] {
  const methods = (document['methods'] as Json[]).map((method) => {
    const resolved = resolveReference(document, method)
    const params = (resolved['params'] as Json[]).map((param) => resolveReference(document, param))
    const extensions = Object.entries(resolved).filter(([key]) => key.startsWith('x-'))
    return {
      ...resolved,
      ...Object.fromEntries(
        extensions.map(([key, value]) => [
          key,
          withComponents(document, value, `${String(resolved['name'])}: ${key}`),
        ]),
      ),
      params,
      result: resolveReference(document, resolved['result'] as Json),
    }
  })
  return (methods as unknown as RpcMethod[]).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

// Bundling does not process extensions: a component that their references name must also be referenced elsewhere.
function withComponents(document: Json, value: unknown, location: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withComponents(document, item, location))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as Json
  if (typeof $ref !== 'string') {
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, item]) => [key, withComponents(document, item, location)]))
  }
  const name = typeOf({ $ref })
  if (name in componentSchemas(document)) return { $ref: `#/components/schemas/${name}` }
  throw new Error(`${location}: ${$ref} is no schema that the document uses elsewhere`)
}

/** Returns the component schemas of a document. Empty if it has none. */
export function componentSchemas(document: Json): Record<string, Json> {
  return (document['components'] as { schemas?: Record<string, Json> } | undefined)?.schemas ?? {}
}

/**
 * Returns the same contract as an OpenAPI document: one POST operation per method, with parameters as a tuple.
 *
 * It passes the component schemas to the type generator, and is used to compare two versions.
 */
export function derivedOpenApi(document: Json): Json {
  const paths = methodsOf(document).map((method) => [
    `/${method.name}`,
    {
      post: {
        operationId: method.name,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'array',
                prefixItems: method.params.map((param) => param.schema),
                items: false,
              },
            },
          },
        },
        responses: {
          200: {
            description: method.result.name,
            content: { 'application/json': { schema: method.result.schema } },
          },
        },
      },
    },
  ])
  const components = { schemas: componentSchemas(document) }
  return { openapi: '3.1.0', info: document['info'], paths: Object.fromEntries(paths), components }
}

/** Returns TypeScript for the schema of a parameter or result: components by name, everything else inline. */
export function typeOf(schema: Json): string {
  const { $ref, type, oneOf, anyOf, allOf, items } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  const union = (oneOf ?? anyOf) as Json[] | undefined
  if (union) return union.map(typeOf).join(' | ')
  if (allOf) return (allOf as Json[]).map((part) => operand(typeOf(part))).join(' & ')
  if (Array.isArray(type)) return type.map((item) => typeOf({ ...schema, type: item })).join(' | ')
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `${operand(typeOf(items as Json))}[]`
    case 'object':
      if (typeof schema['additionalProperties'] === 'object') {
        return `Record<string, ${typeOf(schema['additionalProperties'] as Json)}>`
      }
  }
  throw new Error(`give this schema a separate name in components: ${JSON.stringify(schema)}`)
}

// A type as part of a larger one: parenthesizes unions and intersections to preserve precedence.
function operand(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type
}
