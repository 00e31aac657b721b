import type { Json } from '@fairlead/codegen/src/bundle.ts'

/** Encodes a key for a JSON pointer. */
export function encodedKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Decodes a key of a JSON pointer. */
export function decodedKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Whether a pointer equals another one or points into it. */
export function isBelow(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`)
}

/** Returns the value at a JSON pointer (`#/a/b`) of a document. Undefined if it does not exist. */
export function valueAt(document: Json, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>(
    (node, key) => (key === '' ? node : (node as Json | undefined)?.[decodedKey(key)]),
    document,
  )
}
