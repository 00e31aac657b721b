import type { Json } from './bundle.ts'
import { jsonLiteral, sorted } from './json-literal.ts'
import { componentSchemas } from './openrpc-types.ts'
import { contractSchema, resolveReference } from './schema-references.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Generates the routes and schemas of an OpenAPI document as TypeScript data for servers and validators. */
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
        ...metadata(operation),
        pathParameters: parametersIn(document, parameters, 'path', name),
        query: parametersIn(document, parameters, 'query', name),
        ...headers(document, parameters, name),
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

function parametersIn(document: Json, parameters: readonly Json[], location: string, name: string): Json {
  const entries = parameters
    .map((parameter) => resolveReference(document, parameter))
    .filter((parameter) => parameter['in'] === location)
    .map((parameter) => [
      parameter['name'] as string,
      { required: parameter['required'] === true, schema: contractSchema(parameter['schema'], name) },
    ])
  return Object.fromEntries(entries) as Json
}

// Defaults are omitted: most routes have one media type and no headers, and are neither experimental nor deprecated.

function metadata(operation: Json): Json {
  const { tags, deprecated, security, 'x-stability': stability, 'x-scopes': scopes } = operation
  return {
    ...(Array.isArray(tags) && tags.length > 0 && { tags }),
    ...(deprecated === true && { deprecated }),
    ...deprecation(operation),
    ...(stability !== undefined && { stability }),
    ...(scopes !== undefined && { scopes }),
    ...(Array.isArray(security) && security.length === 0 && { public: true }),
  }
}

function deprecation(operation: Json): Json {
  const { deprecated, operationId, 'x-deprecated-since': deprecatedSince, 'x-sunset': sunset } = operation
  const days = { 'x-deprecated-since': deprecatedSince, 'x-sunset': sunset }
  for (const [key, day] of Object.entries(days)) {
    if (day === undefined) continue
    const location = `${String(operationId)}: ${key}`
    if (deprecated !== true) throw new Error(`${location} is set on an operation that is not deprecated`)
    if (typeof day !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
      throw new Error(`${location} must be a date as year-month-day`)
  }
  return {
    ...(deprecatedSince !== undefined && { deprecatedSince }),
    ...(sunset !== undefined && { sunset }),
  }
}

function headers(document: Json, parameters: readonly Json[], name: string): Json {
  const found = parametersIn(document, parameters, 'header', name)
  return Object.keys(found).length > 0 ? { headers: found } : {}
}

const json = 'application/json'

// Besides JSON, a body is binary data, which no schema describes, or an event stream, whose schema is that of one
// event.
function body(container: Json, name: string): Json {
  const content = (container['content'] ?? {}) as Record<string, { schema?: Json }>
  const mediaTypes = Object.keys(content)
  const schema = (content[json] ?? content['text/event-stream'])?.schema
  return {
    ...(schema && { schema: contractSchema(schema, name) }),
    ...(mediaTypes.some((mediaType) => mediaType !== json) && { mediaTypes }),
  }
}

function requestBody(document: Json, operation: Json, name: string): Json {
  if (!operation['requestBody']) return {}
  const container = resolveReference(document, operation['requestBody'] as Json)
  return { requestBody: { required: container['required'] === true, ...body(container, name) } }
}

function responses(document: Json, operation: Json, name: string): Json {
  const entries = Object.entries(operation['responses'] as Record<string, Json>).map(
    ([status, reference]) => {
      const response = resolveReference(document, reference)
      const headerNames = Object.keys(response['headers'] ?? {})
      return [status, { ...body(response, name), ...(headerNames.length > 0 && { headers: headerNames }) }]
    },
  )
  return Object.fromEntries(entries) as Json
}
