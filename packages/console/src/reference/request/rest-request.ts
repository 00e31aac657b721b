import type { Parameter, RestOperation } from '../documents/operation.ts'
import { describeSchema } from '../schema/describe-schema.ts'
import { exampleOf } from '../schema/example-of.ts'
import type { Schemas } from '../schema/json-schema.ts'
import type { Request } from './request.ts'

/** The entered values: texts of parameters by location and name, and the body. */
export interface RestInputs {
  readonly parameters: Readonly<Record<string, string>>
  readonly body: string
  readonly accept: string
}

/** The key of a parameter's text in the inputs. */
export function inputKey({ location, name }: Parameter): string {
  return `${location} ${name}`
}

/** The initial inputs of a form: the examples of required values only. */
export function initialInputs(operation: RestOperation, schemas: Schemas): RestInputs {
  const content = operation.body?.contents.find(({ mediaType }) => mediaType === 'application/json')
  const body = content && (content.examples[0]?.value ?? exampleOf(content.schema ?? {}, schemas))
  return {
    parameters: Object.fromEntries(
      operation.parameters
        .filter(({ isRequired }) => isRequired)
        .map((parameter) => [inputKey(parameter), exampleText(parameter, schemas)]),
    ),
    body: body === undefined ? '' : JSON.stringify(body, null, 2),
    accept: acceptedTypes(operation)[0] ?? '',
  }
}

/** The example of a parameter in the format of its input: a list has one value per line. */
export function exampleText({ example, schema }: Parameter, schemas: Schemas): string {
  const value = example ?? exampleOf(schema, schemas)
  return Array.isArray(value) ? value.map(textOf).join('\n') : textOf(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns whether a parameter accepts several values. */
export function isList({ schema }: Parameter, schemas: Schemas): boolean {
  return describeSchema(schema, schemas).type.startsWith('array')
}

/** The media types of a successful response of an operation. */
export function acceptedTypes({ responses }: RestOperation): readonly string[] {
  const success = responses.find(({ status }) => status.startsWith('2'))
  return success?.contents.map(({ mediaType }) => mediaType) ?? []
}

/** Creates the request of an operation; empty parameters are omitted. */
export function restRequest(
  operation: RestOperation,
  base: string,
  inputs: RestInputs,
  schemas: Schemas,
): Request {
  const parameters = operation.parameters.flatMap((parameter) => {
    const text = inputs.parameters[inputKey(parameter)] ?? ''
    const values = isList(parameter, schemas) ? text.split('\n').filter(Boolean) : [text]
    return values.filter((value) => value !== '').map((value) => ({ ...parameter, value }))
  })
  const path = parameters
    .filter(({ location }) => location === 'path')
    .reduce(
      (template, { name, value }) => template.replace(`{${name}}`, encodeURIComponent(value)),
      operation.path,
    )
  const query = parameters
    .filter(({ location }) => location === 'query')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const headers = parameters
    .filter(({ location }) => location === 'header')
    .map(({ name, value }) => [name, value])
  const hasBody = operation.body !== undefined && inputs.body.trim() !== ''
  const isDefaultType = inputs.accept === '' || inputs.accept === acceptedTypes(operation)[0]
  return {
    method: operation.method,
    target: base + path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: {
      ...(!isDefaultType && { Accept: inputs.accept }),
      ...(hasBody && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(headers),
    },
    body: hasBody ? inputs.body : undefined,
    access: accessOf(operation),
  }
}

function accessOf(operation: RestOperation): Request['access'] {
  if (operation.isPublic) return 'public'
  return operation.scopes === undefined ? 'node' : 'platform'
}
