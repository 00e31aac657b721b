import type { IncomingHttpHeaders } from 'node:http'
import { document, routes, schemas } from '@fairlead/platform-client/contract'
import type { JsonSchema, Parameter, Route } from '@fairlead/core'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Body, OperationId, Path, Query } from './platform-call.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { boundaryErrors } from './boundary-errors.ts'
import { type Violations, fieldOf, pathOf, violationsOf } from './violations.ts'

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
  /** Validates the request headers of the contract. */
  readonly headers: (values: IncomingHttpHeaders) => Checked<unknown>
  readonly body: (body: unknown) => Checked<Body<id>>
}

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
  // Times and URLs are parsed where they are used, with more specific validation errors. Lines have a pattern.
  formats: { email, 'date-time': true, password: true, uri: true, 'single-line': true, 'multi-line': true },
})
ajv.addSchema({ $id: document, components: { schemas } })

/** Returns the validation of an operation. Schemas compile at first use: most processes never serve most operations. */
export function validationOf<id extends OperationId>(id: id): OperationValidation<id> {
  const route: Route = routes[id]
  const path = checkOf<Path<id>>(() => objectSchema(route.pathParameters))
  const query = checkOf<Query<id>>(() => objectSchema(route.query))
  const headers = checkOf<unknown>(() => objectSchema(route.headers ?? {}))
  const body = checkOf<Body<id>>(() => route.requestBody?.schema ?? {})
  return {
    path,
    query: (text) => {
      const { values, parameters } = readQuery(route, text)
      return { ...query(values), parameters }
    },
    headers: (values) =>
      headers(
        Object.fromEntries(
          Object.keys(route.headers ?? {}).flatMap((name) => {
            const value = values[name.toLowerCase()]
            return value === undefined ? [] : [[name, value]]
          }),
        ),
      ),
    body,
  }
}

function checkOf<value>(schemaOf: () => JsonSchema): (value: unknown) => Checked<value> {
  let validate: ValidateFunction<value> | undefined
  return (value) => {
    const schema = schemaOf()
    validate ??= ajv.compile<value>(schema)
    return check(validate, value, schema)
  }
}

const objectSchemas = new WeakMap<Readonly<Record<string, Parameter>>, JsonSchema>()

/** Returns the same schema object for the same parameters, because compiled validators are cached by schema object. */
function objectSchema(parameters: Readonly<Record<string, Parameter>>): JsonSchema {
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

function check<value>(validate: ValidateFunction<value>, value: unknown, schema: JsonSchema): Checked<value> {
  const errors = boundaryErrors(value, schema)
  if (errors.length === 0 && validate(value)) return { value }
  // Ajv never receives a value that is too large: its work and its errors grow with the size.
  const rejected = new Set(errors.map(({ path }) => path[0]))
  if (rejected.size > 0) validate(withoutMembers(value, rejected))
  const others = (validate.errors ?? []).filter((error) => !rejected.has(pathOf(error)[0]))
  const boundaries = errors.map(({ path, message }) => [fieldOf(path), [message]])
  return { violations: { ...violationsOf(others), ...Object.fromEntries(boundaries) } }
}

function withoutMembers(value: unknown, names: ReadonlySet<string | undefined>): unknown {
  if (!isRecord(value)) return undefined
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))
}
