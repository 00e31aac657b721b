import { document, routes, schemas } from '@fairlead/platform-client/contract'
import type { JsonSchema, Parameter, Route } from '@fairlead/core'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Body, OperationId, Path, Query } from './platform-call.ts'
import { type Violations, violationsOf } from './violations.ts'

/** Input that follows the contract, or the complaints about it. */
export type Checked<value> =
  | { readonly value: value; readonly violations?: never }
  | { readonly violations: Violations }

/** Checks the input of one operation and fills in the contract's defaults. */
export interface OperationValidation<id extends OperationId> {
  /** Checks the parameters that the router found in the path. */
  readonly path: (values: unknown) => Checked<Path<id>>
  /** Reads query text: of the contract's parameters, the last value each, numbers as numbers. */
  readonly query: (text: string) => Checked<Query<id>> & {
    /** The contract's parameters as the client wrote them. */
    readonly given: Readonly<Record<string, string>>
  }
  readonly body: (body: unknown) => Checked<Body<id>>
}

// The database keeps text in UTF-8 without U+0000, so neither that nor half of a surrogate pair can be stored.
const unstorableText = /\0|\p{Surrogate}/u
// A number in the one way it can be written: no plus, no blanks, no exponent, no leading zeros.
const integerText = /^(0|-?[1-9]\d*)$/

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  verbose: true,
  useDefaults: true,
  validateFormats: false,
})
ajv.addSchema({ $id: document, components: { schemas } })

/** What checks the input of an operation. It is compiled for the first input: most services never see most operations. */
export function validationOf<id extends OperationId>(id: id): OperationValidation<id> {
  const route: Route = routes[id]
  const path = compiled<Path<id>>(() => objectSchema(route.pathParameters))
  const query = compiled<Query<id>>(() => objectSchema(route.query))
  const body = compiled<Body<id>>(() => route.requestBody?.schema ?? true)
  const bodyFields = fieldsOf(route.requestBody?.schema)
  return {
    path: (values) => check(path(), values),
    query: (text) => {
      const { values, given } = readQuery(route, text)
      return { ...check(query(), values), given }
    },
    body: (value) => check(body(), value, bodyFields),
  }
}

function compiled<value>(schema: () => AnySchema): () => ValidateFunction<value> {
  let validate: ValidateFunction<value> | undefined
  return () => (validate ??= ajv.compile<value>(schema()))
}

const objectSchemas = new WeakMap<Readonly<Record<string, Parameter>>, AnySchema>()

/** The same for the same parameters, as what is compiled of it is found by it. */
function objectSchema(parameters: Readonly<Record<string, Parameter>>): AnySchema {
  const known = objectSchemas.get(parameters)
  if (known !== undefined) return known
  const entries = Object.entries(parameters)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema: one }]) => [name, one])),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
  }
  objectSchemas.set(parameters, schema)
  return schema
}

function readQuery(route: Route, text: string) {
  const values: Record<string, unknown> = {}
  const given: Record<string, string> = {}
  // A later value replaces an earlier one, also by being empty.
  for (const [name, value] of new Map(new URLSearchParams(text))) {
    const parameter = Object.hasOwn(route.query, name) ? route.query[name] : undefined
    if (parameter === undefined) continue
    const isNumber = isInteger(parameter.schema)
    // An empty filter filters nothing; an empty number is still no number.
    if (value === '' && !isNumber) continue
    values[name] = isNumber && integerText.test(value) ? Number(value) : value
    given[name] = value
  }
  return { values, given }
}

function isInteger(schema: JsonSchema): boolean {
  return schema['type'] === 'integer'
}

/** The fields of a body that the contract has; the others have no effect, whatever they hold. Undefined stands for all. */
function fieldsOf(schema: JsonSchema | undefined): ReadonlySet<string> | undefined {
  const name = typeof schema?.['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
  const resolved = name === undefined ? schema : (schemas as Readonly<Record<string, JsonSchema>>)[name]
  const properties = resolved?.['properties']
  return typeof properties === 'object' && properties !== null ? new Set(Object.keys(properties)) : undefined
}

function check<value>(
  validate: ValidateFunction<value>,
  value: unknown,
  fields?: ReadonlySet<string>,
): Checked<value> {
  const unstorable = unstorableFields(value, fields)
  if (!validate(value)) return { violations: { ...unstorable, ...violationsOf(validate.errors ?? []) } }
  return Object.keys(unstorable).length > 0 ? { violations: unstorable } : { value }
}

function unstorableFields(value: unknown, fields: ReadonlySet<string> | undefined): Violations {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const known = Object.entries(value).filter(([name]) => fields?.has(name) ?? true)
  const bad = known.filter(([, field]) => isUnstorable(field))
  return Object.fromEntries(
    bad.map(([name]) => [name, ['Must not contain the character U+0000 or an unpaired surrogate.']]),
  )
}

function isUnstorable(value: unknown): boolean {
  // A list of what is left instead of recursion: a body may be nested deeper than the stack goes.
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string' && unstorableText.test(one)) return true
    if (typeof one !== 'object' || one === null) continue
    for (const [name, field] of Object.entries(one)) {
      if (unstorableText.test(name)) return true
      left.push(field)
    }
  }
  return false
}
