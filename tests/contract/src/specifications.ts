import { bundle, loadConfig } from '@redocly/openapi-core'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A JSON object of a specification. */
export type Json = { readonly [key: string]: unknown }

/** A document of `specs/`, with its files bundled. */
export interface Specification {
  readonly name: string
  readonly kind: 'openapi' | 'openrpc'
  readonly document: Json
}

const specsRoot = resolve(import.meta.dirname, '../../../specs')

async function readSpecifications(): Promise<readonly Specification[]> {
  const { families } = JSON.parse(readFileSync(join(specsRoot, 'families.json'), 'utf8')) as {
    families: Record<
      string,
      { documents: { kind: 'openapi' | 'openrpc' | 'proto'; entry: string; name: string }[] }
    >
  }
  const config = await loadConfig({ configPath: join(specsRoot, 'redocly.yaml') })
  const documents = Object.values(families).flatMap((family) => family.documents)
  const loadedFiles = documents.flatMap(({ kind, entry, name }) =>
    kind === 'proto'
      ? []
      : [
          bundle({ ref: join(specsRoot, entry), config }).then(({ bundle: bundled, problems }) => {
            if (problems.length > 0)
              throw new Error(`${entry}: ${problems.map(({ message }) => message).join('; ')}`)
            return { name, kind, document: bundled.parsed as Json }
          }),
        ],
  )
  return Promise.all(loadedFiles)
}

/** Every OpenAPI and OpenRPC document. */
export const specifications = await readSpecifications()

/** Returns the document with a name. */
export function specification(name: string): Json {
  const found = specifications.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`no document ${name} in specs/families.json`)
  return found.document
}

/** Follows references inside a document. */
export function resolved(document: Json, node: unknown): Json {
  const reference = (node as Json)['$ref']
  if (typeof reference !== 'string') return node as Json
  const keys = reference.slice(2).split('/')
  const target = keys.reduce<unknown>(
    (at, key) => (at as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
  if (target === undefined) throw new Error(`${reference} leads nowhere`)
  return resolved(document, target)
}

/** The component schemas of a document by name. */
export function componentSchemas(document: Json): Readonly<Record<string, Json>> {
  return (document['components'] as { schemas: Record<string, Json> }).schemas
}

/** Creates a validator that knows the formats, and fails on schema keywords that would not be checked. */
export function strictAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false })
  addFormats.default(ajv)
  // Formats of strings of the jetton chain. Patterns in the schemas validate them.
  for (const format of ['address', 'hash', 'int256', 'uint64']) ajv.addFormat(format, true)
  // The pattern allows any length: one that counts in fours needs recursion, which long values exceed.
  ajv.addFormat('bytes', (text: string) => text.length % 4 === 0)
  // Formats of texts of the platform API, likewise.
  for (const format of ['single-line', 'multi-line']) ajv.addFormat(format, true)
  ajv.addKeyword('components')
  ajv.addKeyword('example')
  return ajv
}

/** Compiles schemas at any position of a document. */
export function validatorsOf(document: Json): (schema: unknown) => ValidateFunction {
  const ajv = strictAjv()
  // Each component is a separate schema, because ajv would otherwise recompile a part for every reference to it.
  for (const [name, schema] of Object.entries(componentSchemas(document)))
    ajv.addSchema(byName(schema) as AnySchema, name)
  // Most operations share error schemas, and many share response schemas.
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const cached = compiled.get(text)
    if (cached) return cached
    const validate = ajv.compile(byName(schema) as AnySchema)
    compiled.set(text, validate)
    return validate
  }
}

// Rewrites references so that they contain only the component name.
function byName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(byName)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' ? item.replace('#/components/schemas/', '') : byName(item),
    ]),
  )
}

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly id: string
  readonly verb: string
  readonly path: string
  readonly operation: Json
  readonly parameters: readonly Json[]
  /** By status, with references resolved. */
  readonly responses: Readonly<Record<string, Json>>
}

/** The operations of an OpenAPI document. */
export function operationsOf(document: Json): readonly Operation[] {
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([verb]) => ['get', 'put', 'post', 'delete', 'patch'].includes(verb))
      .map(([verb, operation]) => {
        const shared = (item['parameters'] ?? []) as unknown as Json[]
        const parameters = [...shared, ...((operation['parameters'] ?? []) as Json[])]
        const responses = Object.entries(operation['responses'] as Json)
        return {
          id: operation['operationId'] as string,
          verb,
          path,
          operation,
          parameters: parameters.map((parameter) => resolved(document, parameter)),
          responses: Object.fromEntries(
            responses.map(([status, response]) => [status, resolved(document, response)]),
          ),
        }
      }),
  )
}

/** A method of an OpenRPC document, with the references of its parts resolved. */
export interface RpcMethod {
  readonly name: string
  readonly paramStructure: string
  readonly params: readonly { readonly name: string; readonly required?: boolean; readonly schema: Json }[]
  readonly result: { readonly schema: Json }
  readonly examples: readonly RpcExample[]
  readonly errors: readonly Json[]
  readonly 'x-overloads'?: readonly { readonly when: Json; readonly result: Json }[]
  readonly 'x-endpoints'?: Readonly<Record<string, { readonly result: Json }>>
}

export interface RpcExample {
  readonly name: string
  readonly params: readonly { readonly name: string; readonly value: unknown }[]
  readonly result: { readonly value: unknown }
}

/** The methods of an OpenRPC document. */
export function methodsOf(document: Json): readonly RpcMethod[] {
  return (document['methods'] as Json[]).map((reference) => {
    const method = resolved(document, reference)
    const each = (list: unknown) => ((list ?? []) as Json[]).map((item) => resolved(document, item))
    const parts = {
      params: each(method['params']),
      result: resolved(document, method['result']),
      examples: each(method['examples']),
      ...('x-overloads' in method && { 'x-overloads': toComponents(document, method['x-overloads']) }),
    }
    return { ...method, ...parts } as unknown as RpcMethod
  })
}

// The files of a document are bundled everywhere except below extensions, where references still name the file.
function toComponents(document: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toComponents(document, item))
  if (typeof value !== 'object' || value === null) return value
  const reference = (value as Json)['$ref']
  if (typeof reference !== 'string') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toComponents(document, item)]))
  }
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  if (!(name in componentSchemas(document))) throw new Error(`${reference} leads nowhere`)
  return { $ref: `#/components/schemas/${name}` }
}
