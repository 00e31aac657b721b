import { document, routes, schemas } from '@fairlead/platform-client/contract'
import type { JsonSchema, Parameter, Route } from '@fairlead/core'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Body, OperationId, Path, Query } from './platform-call.ts'
import { type Violations, violationsOf } from './violations.ts'

/** Input that matches the contract, or its validation errors. */
export type Checked<value> =
  | { readonly value: value; readonly violations?: never }
  | { readonly violations: Violations }

/** Validates the input of one operation and fills in the contract's defaults. */
export interface OperationValidation<id extends OperationId> {
  /** Validates the path parameters from the router. */
  readonly path: (values: unknown) => Checked<Path<id>>
  /** Parses a query string: only parameters of the contract, the last value of each, integers as numbers. */
  readonly query: (text: string) => Checked<Query<id>> & {
    /** The contract's parameters, unchanged from the request. */
    readonly parameters: Readonly<Record<string, string>>
  }
  readonly body: (body: unknown) => Checked<Body<id>>
}

// The database stores text as UTF-8 without U+0000, so it accepts neither that character nor an unpaired surrogate.
const unstorableText = /\0|\p{Surrogate}/u
// Canonical integers only: no plus sign, blanks, exponent or leading zeros.
const integerText = /^(0|-?[1-9]\d*)$/

// RFC 5321: a mailbox of ASCII letters without quotes, in a domain that may have one label only.
const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const email = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`, 'i')

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  verbose: true,
  useDefaults: true,
  // Times and URLs are parsed where they are used, with more specific validation errors.
  formats: { email, 'date-time': true, password: true, uri: true },
})
ajv.addSchema({ $id: document, components: { schemas } })

/** Returns the validation of an operation. Schemas compile at first use: most processes never serve most operations. */
export function validationOf<id extends OperationId>(id: id): OperationValidation<id> {
  const route: Route = routes[id]
  const path = compiled<Path<id>>(() => objectSchema(route.pathParameters))
  const query = compiled<Query<id>>(() => objectSchema(route.query))
  const body = compiled<Body<id>>(() => route.requestBody?.schema ?? true)
  return {
    path: (values) => check(path(), values),
    query: (text) => {
      const { values, parameters } = readQuery(route, text)
      return { ...check(query(), values), parameters }
    },
    body: (value) => check(body(), value, route.requestBody?.schema),
  }
}

function compiled<value>(schema: () => AnySchema): () => ValidateFunction<value> {
  let validate: ValidateFunction<value> | undefined
  return () => (validate ??= ajv.compile<value>(schema()))
}

const objectSchemas = new WeakMap<Readonly<Record<string, Parameter>>, AnySchema>()

/** Returns the same schema object for the same parameters, because compiled validators are cached by schema object. */
function objectSchema(parameters: Readonly<Record<string, Parameter>>): AnySchema {
  const cached = objectSchemas.get(parameters)
  if (cached !== undefined) return cached
  const entries = Object.entries(parameters)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { schema: parameterSchema }]) => [name, parameterSchema]),
    ),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
  }
  objectSchemas.set(parameters, schema)
  return schema
}

function readQuery(route: Route, text: string) {
  const values: Record<string, unknown> = {}
  const parameters: Record<string, string> = {}
  // The last value wins, also when it is empty.
  for (const [name, value] of new Map(new URLSearchParams(text))) {
    const parameter = Object.hasOwn(route.query, name) ? route.query[name] : undefined
    if (parameter === undefined) continue
    const isNumber = isInteger(parameter.schema)
    // An empty filter is ignored; an empty number remains invalid.
    if (value === '' && !isNumber) continue
    values[name] = isNumber && integerText.test(value) ? Number(value) : value
    parameters[name] = value
  }
  return { values, parameters }
}

function isInteger(schema: JsonSchema): boolean {
  return schema['type'] === 'integer'
}

/** Resolves a schema reference. */
function resolved(schema: JsonSchema | undefined): JsonSchema | undefined {
  const reference = schema?.['$ref']
  if (typeof reference !== 'string') return schema
  const name = reference.split('/').at(-1) ?? ''
  return (schemas as Readonly<Record<string, JsonSchema>>)[name]
}

function check<value>(
  validate: ValidateFunction<value>,
  value: unknown,
  schema?: JsonSchema,
): Checked<value> {
  const unstorable = unstorableFields(value, schema)
  if (!validate(value)) return { violations: { ...unstorable, ...violationsOf(validate.errors ?? []) } }
  return Object.keys(unstorable).length > 0 ? { violations: unstorable } : { value }
}

function unstorableFields(value: unknown, schema: JsonSchema | undefined): Violations {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const unstorable = membersOf(value, schema).filter((member) => isUnstorable(member))
  return Object.fromEntries(
    unstorable.map(({ name }) => [name, ['Must not contain the character U+0000 or an unpaired surrogate.']]),
  )
}

/** A member of a body with its schema in the contract. */
interface Member {
  readonly name: string
  readonly value: unknown
  readonly schema: JsonSchema | undefined
}

function isUnstorable(member: Member): boolean {
  // A stack instead of recursion: a body may be nested deeper than the call stack allows.
  const stack = [member]
  for (let current = stack.pop(); current; current = stack.pop()) {
    if (unstorableText.test(current.name)) return true
    const { value, schema } = current
    if (typeof value === 'string' && unstorableText.test(value)) return true
    if (typeof value === 'object' && value !== null) stack.push(...membersOf(value, schema))
  }
  return false
}

/**
 * Returns the members of an object or array. Members that the contract does not define are skipped: they have no
 * effect.
 */
function membersOf(value: object, schema: JsonSchema | undefined): readonly Member[] {
  const { properties, additionalProperties, items } = (resolved(schema) ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly additionalProperties?: JsonSchema | boolean
    readonly items?: JsonSchema
  }
  const additionalSchema = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const ignoresAdditional = properties !== undefined && additionalProperties === undefined
  return Object.entries(value).flatMap(([name, member]) => {
    const isKnown = properties !== undefined && Object.hasOwn(properties, name)
    if (ignoresAdditional && !isKnown) return []
    return [{ name, value: member, schema: isKnown ? properties[name] : (items ?? additionalSchema) }]
  })
}
