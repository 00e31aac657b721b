import type { JsonSchema } from '../schema/json-schema.ts'
import type { Json } from './document.ts'
import type { Body, Content, Example, Header, Parameter, Response, RestOperation } from './operation.ts'
import { follow, isJson, listAt, objectAt, textAt, textsAt } from './references.ts'

const httpMethods = ['get', 'post', 'put', 'patch', 'delete']

/** All operations of an OpenAPI document. */
export function readOpenApi(document: Json): readonly RestOperation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    isJson(item)
      ? httpMethods
          .filter((method) => isJson(item[method]))
          .map((method) => readOperation(document, path, method, item))
      : [],
  )
}

function readOperation(document: Json, path: string, method: string, item: Json): RestOperation {
  const operation = objectAt(item, method)
  const { security, requestBody } = operation
  const parameters = [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')]
  return {
    kind: 'rest',
    id: textAt(operation, 'operationId'),
    name: textAt(operation, 'operationId'),
    group: textsAt(operation, 'tags')[0] ?? '',
    summary: textAt(operation, 'summary'),
    description: textAt(operation, 'description'),
    isDeprecated: operation['deprecated'] === true,
    isExperimental: operation['x-stability'] === 'experimental',
    method: method.toUpperCase(),
    path,
    scopes: 'x-scopes' in operation ? textsAt(operation, 'x-scopes') : undefined,
    isPublic: Array.isArray(security) && security.length === 0,
    parameters: parameters.map((parameter) => readParameter(follow(document, parameter))),
    body: isJson(requestBody) ? readBody(document, follow(document, requestBody)) : undefined,
    responses: Object.entries(objectAt(operation, 'responses')).flatMap(([status, response]) =>
      isJson(response) ? [readResponse(document, status, follow(document, response))] : [],
    ),
  }
}

function readParameter(parameter: Json): Parameter {
  const location = textAt(parameter, 'in')
  return {
    name: textAt(parameter, 'name'),
    location: location === 'path' || location === 'header' ? location : 'query',
    isRequired: parameter['required'] === true,
    isDeprecated: parameter['deprecated'] === true,
    description: textAt(parameter, 'description'),
    schema: schemaAt(parameter, 'schema') ?? {},
    example: parameter['example'],
  }
}

function readBody(document: Json, body: Json): Body {
  return {
    isRequired: body['required'] === true,
    description: textAt(body, 'description'),
    contents: readContents(document, body),
  }
}

function readResponse(document: Json, status: string, response: Json): Response {
  return {
    status,
    description: textAt(response, 'description'),
    headers: Object.entries(objectAt(response, 'headers')).flatMap(([name, header]) =>
      isJson(header) ? [readHeader(name, follow(document, header))] : [],
    ),
    contents: readContents(document, response),
  }
}

function readHeader(name: string, header: Json): Header {
  return { name, description: textAt(header, 'description'), schema: schemaAt(header, 'schema') ?? {} }
}

function readContents(document: Json, holder: Json): readonly Content[] {
  return Object.entries(objectAt(holder, 'content')).flatMap(([mediaType, content]) =>
    isJson(content)
      ? [{ mediaType, schema: schemaAt(content, 'schema'), examples: readExamples(document, content) }]
      : [],
  )
}

function readExamples(document: Json, content: Json): readonly Example[] {
  return Object.entries(objectAt(content, 'examples')).flatMap(([key, example]) => {
    if (!isJson(example)) return []
    const { summary, value } = follow(document, example)
    return [{ title: typeof summary === 'string' ? summary : key, value }]
  })
}

/** A schema of a document by key. */
export function schemaAt(holder: Json, key: string): JsonSchema | undefined {
  const value = holder[key]
  return isJson(value) ? value : undefined
}
