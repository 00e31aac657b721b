import { Ajv, type ErrorObject } from 'ajv'
import { policyExtension } from '../policy-extension.ts'

/** JSON Schema of the cost of a call, in the policies of every protocol. */
export const costSchema = {
  type: 'object',
  properties: {
    units: { description: 'Units of a call in the table `weighted`.', type: 'integer', minimum: 1 },
    isExpensive: { description: 'Whether an overloaded gateway rejects its calls first.', type: 'boolean' },
  },
  required: ['units', 'isExpensive'],
  additionalProperties: false,
}

/**
 * Creates a function that validates the policies of one protocol.
 *
 * @param schema - JSON Schema of a policy; its `discriminator` selects the alternatives of a `oneOf`
 * @returns a function that returns a valid policy unchanged, and throws an Error that names the method, the field and
 * the rule
 */
export function policyReader(schema: object): (method: string, value: unknown) => unknown {
  const validate = new Ajv({ allErrors: true, discriminator: true, allowUnionTypes: true }).compile(schema)
  return (method, value) => {
    if (value === undefined) throw new Error(`${method}: ${policyExtension} is missing`)
    if (validate(value)) return value
    throw new Error((validate.errors ?? []).map((error) => `${method}: ${describe(error)}`).join('\n'))
  }
}

function describe({ instancePath, message = 'is invalid', keyword, params }: ErrorObject): string {
  const field = `${policyExtension}${instancePath.replaceAll('/', '.')}`
  const { allowedValues, allowedValue, additionalProperty } = params as Readonly<Record<string, unknown>>
  if (keyword === 'enum') return `${field} must be one of ${(allowedValues as string[]).join(', ')}`
  if (keyword === 'const') return `${field} must be ${String(allowedValue)}`
  if (keyword === 'additionalProperties') return `${field}.${String(additionalProperty)} is not a field`
  return `${field} ${message}`
}

/** Formats a value as a TypeScript literal on one line, with `undefined` where a field has no value. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null)
    return value === undefined ? 'undefined' : JSON.stringify(value)
  const fields = Object.entries(value).map(([key, field]) => `${keyOf(key)}: ${literal(field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function keyOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
}

/** Formats policies by name as a TypeScript literal: one line for each field. */
export function policyTable(policies: Readonly<Record<string, object>>): string {
  const rows = Object.entries(policies).map(([name, policy]) => {
    const fields = Object.entries(policy).map(([key, value]) => `    ${key}: ${literal(value)},\n`)
    return `  ${keyOf(name)}: {\n${fields.join('')}  },\n`
  })
  return `{\n${rows.join('')}}`
}
