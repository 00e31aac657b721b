import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { componentSchemas, type RpcMethod } from '@fairlead/codegen/src/openrpc-types.ts'

/**
 * Converts an OpenRPC document to an OpenAPI document that can be compared: one POST operation per method.
 *
 * Positional parameters become the properties `p0`, `p1` and so on, so that a moved parameter is a change of two types.
 * Subscriptions, and results that depend on the parameters, become operations below that of their method.
 */
export function projected(document: Json, methods: readonly RpcMethod[]): Json {
  const paths = methods.flatMap((method) => [
    [`/${method.name}`, operation(method.name, method, requestOf(method), method.result.schema)] as const,
    ...parts(method),
  ])
  return {
    openapi: '3.1.0',
    info: document['info'],
    servers: ((document['servers'] ?? []) as Json[]).map(({ summary, ...server }) => ({
      ...server,
      ...(summary !== undefined && { description: summary }),
    })),
    paths: Object.fromEntries(paths),
    components: { schemas: componentSchemas(document) },
  }
}

/** Returns the name of a parameter in the projection. */
export function parameterKey(method: RpcMethod, index: number): string {
  return method.paramStructure === 'by-name' ? (method.params[index]?.name ?? '') : `p${index}`
}

function requestOf(method: RpcMethod): Json {
  const keys = method.params.map((_, index) => parameterKey(method, index))
  return {
    type: 'object',
    properties: Object.fromEntries(
      method.params.map(({ schema, description }, index) => [keys[index], described(schema, description)]),
    ),
    required: keys.filter((_, index) => method.params[index]?.required === true),
  }
}

// A description next to a reference is valid, but would hide changes of the referenced schema.
function described(schema: Json, description: string | undefined): Json {
  return description === undefined || '$ref' in schema ? schema : { description, ...schema }
}

function operation(id: string, method: RpcMethod, request: Json, result: Json): Json {
  const { summary, description, deprecated, tags = [] } = method
  return {
    post: {
      operationId: id,
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      ...(deprecated === true && { deprecated }),
      tags: tags.map(({ name }) => name),
      requestBody: { required: true, content: { 'application/json': { schema: request } } },
      responses: {
        200: { description: method.result.name, content: { 'application/json': { schema: result } } },
      },
    },
  }
}

function parts(method: RpcMethod): readonly (readonly [string, Json])[] {
  const kinds = Object.entries(method['x-subscriptions'] ?? {}).map(
    ([kind, { options, notification }]) =>
      [
        `/${method.name}/subscription/${kind}`,
        operation(`${method.name} ${kind}`, method, options ?? {}, notification),
      ] as const,
  )
  const overloads = (method['x-overloads'] ?? []).map(({ when, result }) => {
    const condition = JSON.stringify(when)
    return [
      `/${method.name}/overload/${condition}`,
      operation(`${method.name} ${condition}`, method, {}, result),
    ] as const
  })
  return [...kinds, ...overloads]
}
