import type { Json } from './bundle.ts'
import { resolveReference } from './schema-references.ts'

/** A method of the bundled OpenRPC document, as far as generation reads it. */
export interface RpcMethod extends Json {
  readonly name: string
  readonly summary?: string
  readonly description?: string
  readonly paramStructure?: 'by-name' | 'by-position' | 'either'
  readonly params: readonly RpcParam[]
  readonly result: { readonly name: string; readonly schema: Json }
  readonly 'x-idempotent'?: boolean
  readonly 'x-overloads'?: readonly { readonly when: Record<string, unknown>; readonly result: Json }[]
}

export interface RpcParam extends Json {
  readonly name: string
  readonly required?: boolean
  readonly schema: Json
}

/** The methods of a document in the order of their names, references resolved. */
export function methodsOf(document: Json): readonly RpcMethod[] {
  const methods = (document['methods'] as Json[]).map((method) => {
    const resolved = resolveReference(document, method)
    const params = (resolved['params'] as Json[]).map((param) => resolveReference(document, param))
    return { ...resolved, params, result: resolveReference(document, resolved['result'] as Json) }
  })
  return (methods as unknown as RpcMethod[]).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * The same contract as an OpenAPI document: one POST operation per method, parameters as a tuple.
 *
 * It carries the component schemas to the type generator and is what two versions are compared by.
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
              schema: { type: 'array', prefixItems: method.params.map((param) => param.schema), items: false },
            },
          },
        },
        responses: {
          200: { description: method.result.name, content: { 'application/json': { schema: method.result.schema } } },
        },
      },
    },
  ])
  const { schemas } = document['components'] as { schemas: Json }
  return { openapi: '3.1.0', info: document['info'], paths: Object.fromEntries(paths), components: { schemas } }
}

/** TypeScript for a schema that stands at a parameter or result; named components by name, the rest in place. */
export function typeOf(schema: Json): string {
  const { $ref, type, oneOf, anyOf, allOf, items } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  const union = (oneOf ?? anyOf) as Json[] | undefined
  if (union) return union.map(typeOf).join(' | ')
  if (allOf) return (allOf as Json[]).map(typeOf).join(' & ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ')
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeOf(items as Json)
      return `${/[|&]/.test(item) ? `(${item})` : item}[]`
    }
    case 'object':
      if (typeof schema['additionalProperties'] === 'object') {
        return `Record<string, ${typeOf(schema['additionalProperties'] as Json)}>`
      }
  }
  throw new Error(`give this schema a name of its own in components: ${JSON.stringify(schema)}`)
}
