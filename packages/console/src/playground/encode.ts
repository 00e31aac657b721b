import type { Field } from './field-model.ts'

/** The entered texts, by the path of the field, for example `filter.address`. */
export type Typed = Readonly<Record<string, string>>

/** JSON as a text, or the errors of fields by their path. */
export type Encoded =
  | { readonly text: string | undefined }
  | { readonly errors: Readonly<Record<string, string>> }

/** The path of a field below another one. */
export function pathOf(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`
}

/**
 * Encodes a field as JSON. The JSON is built as a text, so that integers keep all of their digits.
 *
 * @param field - the field
 * @param path - path of the field in `typed`
 * @param typed - the entered texts by path
 * @returns an undefined text for a field that was left empty
 */
export function encode(field: Field, path: string, typed: Typed): Encoded {
  const { model } = field
  if (model.kind === 'group') return encodeGroup(field, model.fields, path, typed)
  const value = (typed[path] ?? field.fallback).trim()
  if (value === '')
    return field.isRequired ? { errors: { [path]: 'This field is required.' } } : { text: undefined }
  // For example a block by its hash, where a tag is possible too.
  if (model.kind === 'json' || (model.kind === 'text' && value.startsWith('{')))
    return encodeJson(value, path)
  if (model.kind === 'number') return encodeNumbers([value], path, ([number = '']) => number)
  if (model.kind === 'boolean') return { text: value }
  if (model.kind !== 'list') return { text: JSON.stringify(value) }
  const lines = linesOf(value)
  if (model.item === 'number') return encodeNumbers(lines, path, (numbers) => `[${numbers.join(',')}]`)
  return { text: JSON.stringify(lines) }
}

/** The non-empty lines of a list. */
export function linesOf(value: string): readonly string[] {
  return value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function encodeGroup(field: Field, fields: readonly Field[], path: string, typed: Typed): Encoded {
  const encoded = fields.map(
    ({ name, ...rest }) => [name, encode({ name, ...rest }, pathOf(path, name), typed)] as const,
  )
  const isEmpty = encoded.every(([, property]) => 'errors' in property || property.text === undefined)
  const isUntouched = !Object.keys(typed).some((key) => key.startsWith(`${path}.`) && typed[key] !== '')
  if (isEmpty && isUntouched && !field.isRequired) return { text: undefined }
  const errors = encoded.flatMap(([, property]) => ('errors' in property ? [property.errors] : []))
  if (errors.length > 0) return { errors: Object.assign({}, ...errors) as Record<string, string> }
  const members = encoded.flatMap(([name, property]) =>
    'text' in property && property.text !== undefined ? [`${JSON.stringify(name)}:${property.text}`] : [],
  )
  return { text: `{${members.join(',')}}` }
}

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function encodeNumbers(
  values: readonly string[],
  path: string,
  join: (values: readonly string[]) => string,
): Encoded {
  if (values.every((value) => numberForm.test(value))) return { text: join(values) }
  return { errors: { [path]: 'Must be a number.' } }
}

function encodeJson(value: string, path: string): Encoded {
  try {
    JSON.parse(value)
    return { text: value }
  } catch {
    return { errors: { [path]: 'Must be valid JSON.' } }
  }
}
