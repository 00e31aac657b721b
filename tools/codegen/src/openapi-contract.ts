import type { Json } from './bundle.ts'
import { jsonLiteral, sorted } from './json-literal.ts'
import { componentSchemas } from './openrpc-types.ts'
import { contractSchema, resolveReference } from './schema-references.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The routes and schemas of an OpenAPI document as TypeScript data for servers and validators. */
export function openapiContract(document: Json, name: string): string {
  const { paths, info } = document as {
    paths: Record<string, Json>
    info: { version: string }
  }
  const routes: Record<string, unknown> = {}
  for (const [path, item] of Object.entries(paths)) {
    for (const verb of verbs) {
      const operation = item[verb] as Json | undefined
      if (!operation) continue
      const parameters = [
        ...((item['parameters'] as Json[]) ?? []),
        ...((operation['parameters'] as Json[]) ?? []),
      ]
      routes[operation['operationId'] as string] = {
        operationId: operation['operationId'],
        method: verb.toUpperCase(),
        path,
        pathParameters: parametersIn(document, parameters, 'path', name),
        query: parametersIn(document, parameters, 'query', name),
        ...requestBody(document, operation, name),
        responses: responses(document, operation, name),
      }
    }
  }
  const schemas = Object.fromEntries(
    Object.entries(componentSchemas(document)).map(([key, schema]) => [key, contractSchema(schema, name)]),
  )
  return `import type { JsonSchema, Route } from '@fairlead/core'

/** Version of the specification document. */
export const specVersion = ${JSON.stringify(info.version)}

/** \`$id\` under which a validator registers the schemas: \`{ $id: document, components: { schemas } }\`. */
export const document = ${JSON.stringify(name)}

/** Every component schema by name. */
export const schemas = ${jsonLiteral(sorted(schemas))} as const satisfies Readonly<Record<string, JsonSchema>>

/** Every operation by operation id. */
export const routes = ${jsonLiteral(sorted(routes))} as const satisfies Readonly<Record<string, Route>>
`
}

function parametersIn(document: Json, parameters: readonly Json[], place: string, name: string): Json {
  const entries = parameters
    .map((parameter) => resolveReference(document, parameter))
    .filter((parameter) => parameter['in'] === place)
    .map((parameter) => [
      parameter['name'] as string,
      { required: parameter['required'] === true, schema: contractSchema(parameter['schema'], name) },
    ])
  return Object.fromEntries(entries) as Json
}

function jsonContent(document: Json, holder: Json, name: string): { schema?: Json } {
  const content = (holder['content'] ?? {}) as Record<string, { schema?: Json }>
  const schema = content['application/json']?.schema
  return schema ? { schema: contractSchema(schema, name) } : {}
}

function requestBody(document: Json, operation: Json, name: string): Json {
  if (!operation['requestBody']) return {}
  const body = resolveReference(document, operation['requestBody'] as Json)
  return { requestBody: { required: body['required'] === true, ...jsonContent(document, body, name) } }
}

function responses(document: Json, operation: Json, name: string): Json {
  const entries = Object.entries(operation['responses'] as Record<string, Json>).map(([status, response]) => [
    status,
    jsonContent(document, resolveReference(document, response), name),
  ])
  return Object.fromEntries(entries) as Json
}
