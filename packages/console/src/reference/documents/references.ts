import type { Json } from './document.ts'

/** Returns whether a value is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object of a document by key; an empty one when it is missing. */
export function objectAt(holder: Json, key: string): Json {
  const value = holder[key]
  return isJson(value) ? value : {}
}

/** The objects of a list of a document by key; empty when there is no list. */
export function listAt(holder: Json, key: string): readonly Json[] {
  const value = holder[key]
  return Array.isArray(value) ? value.filter(isJson) : []
}

/** The texts of a list of a document by key; empty when there is no list. */
export function textsAt(holder: Json, key: string): readonly string[] {
  const value = holder[key]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** A text of a document by key; an empty one when it is missing. */
export function textAt(holder: Json, key: string): string {
  const value = holder[key]
  return typeof value === 'string' ? value : ''
}

/**
 * Resolves a reference within a document.
 *
 * @throws Error when its target does not exist
 */
export function follow(document: Json, value: Json): Json {
  const { $ref } = value
  if (typeof $ref !== 'string') return value
  const keys = $ref.slice(2).split('/')
  const target = keys.reduce<unknown>((node, key) => (isJson(node) ? node[key] : undefined), document)
  if (!isJson(target)) throw new Error(`unresolved reference: ${$ref}`)
  return follow(document, target)
}
