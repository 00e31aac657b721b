import type { ErrorObject } from 'ajv/dist/2020.js'

// The meaning of the formats of the contract, which have a pattern as well.
const formatRules: Readonly<Record<string, string>> = {
  email: 'Must be an e-mail address.',
  'single-line': 'Must not contain control characters or characters that change the text direction.',
  'multi-line': 'Must not contain control characters other than tabs and line breaks.',
}

/** Validation errors by field; empty for valid input. */
export type Violations = Readonly<Record<string, readonly string[]>>

// Field name for errors about the whole body.
const wholeBody = 'non_field_errors'

/**
 * Converts Ajv errors to validation errors by field. Each names the rule and the JSON type of the invalid value, but
 * never the value itself, which may be a secret sent to the wrong field.
 */
export function violationsOf(errors: readonly ErrorObject[]): Violations {
  const violations: Record<string, string[]> = {}
  for (const error of errors) {
    const field = fieldOf(pathOf(error))
    const message = messageOf(error)
    const messages = (violations[field] ??= [])
    if (!messages.includes(message)) messages.push(message)
  }
  return violations
}

/** The JSON type of a value, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  const kind = typeof value
  return kind === 'undefined' ? 'nothing' : `${kind === 'object' ? 'an' : 'a'} ${kind}`
}

/** The name of the field at a path of member names. */
export function fieldOf(path: readonly string[]): string {
  return path.length === 0 ? wholeBody : path.join('.')
}

/** The path of member names that an Ajv error is about. */
export function pathOf(error: ErrorObject): readonly string[] {
  const path = error.instancePath.split('/').slice(1)
  const missing: unknown = error.keyword === 'required' ? error.params['missingProperty'] : undefined
  return typeof missing === 'string' ? [...path, missing] : path
}

function messageOf(error: ErrorObject): string {
  const { keyword, params, data } = error
  switch (keyword) {
    case 'required':
      return 'This field is required.'
    case 'type':
      return `Must be ${typeNames(params['type'])}, not ${kindOf(data)}.`
    case 'enum':
      return `Must be one of: ${listed(params['allowedValues'])}.`
    case 'minLength':
      return `Must be a string of at least ${counted(params['limit'], 'character')}.`
    case 'minimum':
      return `Must be a number of at least ${String(params['limit'])}.`
    case 'maximum':
      return `Must be a number of at most ${String(params['limit'])}.`
    case 'minItems':
      return `Must have at least ${counted(params['limit'], 'item')}.`
    case 'uniqueItems':
      return 'Must not contain duplicate items.'
    case 'pattern':
    case 'format':
      return formatRules[String(error.parentSchema?.['format'])] ?? 'Does not match the format of the field.'
    default:
      return `Does not follow the rule ${keyword}.`
  }
}

function typeNames(types: unknown): string {
  const names = (Array.isArray(types) ? types : [types]).map((type) =>
    type === 'null' ? 'null' : `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`,
  )
  return names.join(' or ')
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.join(', ') : String(values)
}

/** A number with its noun. */
export function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`
}
