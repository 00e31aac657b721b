import { parseJson } from '@fairlead/gateway-core/json'
import { readFileSync } from 'node:fs'
import { FairleadError, type JsonSchema, type Route } from '@fairlead/core'
import { document, schemas } from '@fairlead/platform-client/contract'

/** An input value of an operation, and its flag on the command line. */
export interface InputFlag {
  /** Name on the wire. */
  readonly name: string
  /** Name on the command line, for example `order-by`. */
  readonly flag: string
  readonly location: 'query' | 'body'
  readonly required: boolean
  /** The accepted values, in a few words. */
  readonly kind: string
  /** Whether it may be given several times. */
  readonly repeated: boolean
  readonly schema: JsonSchema
}

/** Returns the inputs of an operation in addition to its path parameters. */
export function inputFlags(route: Route): InputFlag[] {
  const query = Object.entries(route.query).map(([name, { schema, required }]) =>
    inputFlag('query', name, schema, required),
  )
  const body = resolved(route.requestBody?.schema ?? {})
  const required = new Set((body['required'] as readonly string[] | undefined) ?? [])
  const fields = Object.entries((body['properties'] as Record<string, JsonSchema> | undefined) ?? {})
  return [...query, ...fields.map(([name, schema]) => inputFlag('body', name, schema, required.has(name)))]
}

/**
 * Parses the value of a flag. `@file` stands for the content of a file and `@-` for the standard input, which keeps
 * secrets off the command line.
 *
 * @throws FairleadError `CONFIG_INVALID` that names the flag and the rule, never the text
 */
export function readFlag(input: InputFlag, received: string | readonly string[]): unknown {
  const texts = (typeof received === 'string' ? [received] : received).map((text) => contentOf(text, input))
  const types = typesOf(input.schema)
  const [first = ''] = texts
  if (first === 'null' && types.includes('null')) return null
  if (types.includes('array')) {
    return texts
      .flatMap((text) => text.split(','))
      .map((text) => readText(text, itemsOf(input.schema), input))
  }
  if (types.includes('object')) return readObject(texts, input)
  return readText(first, types, input)
}

/** Parses a whole body, given as JSON or as `@file`. */
export function readBody(text: string): unknown {
  const content = text.startsWith('@') ? fileContent(text.slice(1), '--body') : text
  return json(content, '--body')
}

function inputFlag(
  location: InputFlag['location'],
  name: string,
  schemaOrReference: JsonSchema,
  required: boolean,
): InputFlag {
  const schema = resolved(schemaOrReference)
  const types = typesOf(schema)
  const repeated = location === 'body' && (types.includes('array') || types.includes('object'))
  return { name, flag: name.replaceAll('_', '-'), location, required, kind: kindOf(schema), repeated, schema }
}

/** Returns a schema with its references resolved. */
function resolved(schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = schema
  const prefix = `${document}#/components/schemas/`
  if (typeof $ref !== 'string' || !$ref.startsWith(prefix)) return schema
  const target = (schemas as Readonly<Record<string, JsonSchema>>)[$ref.slice(prefix.length)]
  return { ...resolved(target ?? {}), ...rest }
}

function typesOf(schema: JsonSchema): readonly string[] {
  const type = schema['type']
  return typeof type === 'string' ? [type] : Array.isArray(type) ? (type as string[]) : ['string']
}

function itemsOf(schema: JsonSchema): readonly string[] {
  return typesOf(resolved((schema['items'] as JsonSchema | undefined) ?? {}))
}

function kindOf(schema: JsonSchema): string {
  const types = typesOf(schema)
  const nullable = types.includes('null') ? ', or null' : ''
  const values = (schema['enum'] ?? resolved((schema['items'] as JsonSchema | undefined) ?? {})['enum']) as
    | readonly (string | number | null)[]
    | undefined
  if (values) return `${values.filter((value) => value !== null).join(', ')}${nullable}`
  if (types.includes('array')) return `comma-separated list${nullable}`
  if (types.includes('object')) return `name=value, or JSON${nullable}`
  const typeNames = { integer: 'an integer', number: 'a number', boolean: 'true or false', string: 'text' }
  const type = types.find((candidate) => candidate !== 'null') as keyof typeof typeNames
  return `${schema['format'] === 'date-time' ? 'a time (ISO 8601)' : (typeNames[type] ?? 'text')}${nullable}`
}

function readText(text: string, types: readonly string[], input: InputFlag): string | number | boolean {
  if (types.includes('string')) return text
  if (types.includes('boolean')) {
    if (text === 'true' || text === 'false') return text === 'true'
    throw invalid(input, 'true or false')
  }
  if (/^-?\d+$/.test(text) || (types.includes('number') && /^-?\d*\.?\d+$/.test(text))) return Number(text)
  throw invalid(input, kindOf(input.schema))
}

function readObject(texts: readonly string[], input: InputFlag): unknown {
  const [first = ''] = texts
  if (texts.length === 1 && first.trimStart().startsWith('{')) return json(first, `--${input.flag}`)
  return Object.fromEntries(
    texts.map((text) => {
      const end = text.indexOf('=')
      if (end < 1) throw invalid(input, 'name=value, or one JSON object')
      return [text.slice(0, end), contentOf(text.slice(end + 1), input)]
    }),
  )
}

function contentOf(text: string, { flag }: InputFlag): string {
  if (text.startsWith('@@')) return text.slice(1)
  return text.startsWith('@') ? fileContent(text.slice(1), `--${flag}`) : text
}

function fileContent(file: string, option: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trimEnd()
  } catch (error) {
    const rule = `must be a readable file after @: ${(error as NodeJS.ErrnoException).code}`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
}

function json(text: string, option: string): unknown {
  const value = parseJson(text)
  if (value === undefined) throw new FairleadError('CONFIG_INVALID', { option, rule: 'must be JSON' })
  return value
}

function invalid({ flag }: InputFlag, rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option: `--${flag}`, rule: `must be ${rule}` })
}
