import type { Json } from '@fairlead/codegen/src/bundle.ts'

/** A key as it stands in a JSON pointer. */
export function encodedKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A key of a JSON pointer as it stands in the document. */
export function decodedKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Whether a pointer is another one or leads into it. */
export function isBelow(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`)
}

/** What stands at a JSON pointer (`#/a/b`) of a document, or undefined. */
export function valueAt(document: Json, pointer: string): unknown {
  const keys = pointer.split('/').slice(1)
  return keys.reduce<unknown>(
    (node, key) => (key === '' ? node : (node as Json | undefined)?.[decodedKey(key)]),
    document,
  )
}
