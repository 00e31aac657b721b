import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { encodedKey } from './pointers.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']

/** An operation of an OpenAPI document. */
export interface Operation {
  /** `GET /v2/projects/`. */
  readonly name: string
  readonly operationId: string | undefined
  readonly pointer: string
  readonly path: string
  readonly definition: Json
  /** Including those of its path. */
  readonly parameters: readonly unknown[]
}

/** Returns all operations of a document, in document order. */
export function operationsOf(document: Json): readonly Operation[] {
  return Object.entries((document['paths'] ?? {}) as Record<string, Json>).flatMap(([path, item]) =>
    operationsOfPath(path, item),
  )
}

/** Returns the operations of one path. */
export function operationsOfPath(path: string, item: Json): readonly Operation[] {
  return verbs
    .filter((verb) => item[verb] !== undefined)
    .map((verb) => {
      const definition = item[verb] as Json
      return {
        name: `${verb.toUpperCase()} ${path}`,
        operationId: definition['operationId'] as string | undefined,
        pointer: `#/paths/${encodedKey(path)}/${verb}`,
        path,
        definition,
        parameters: [
          ...((item['parameters'] as unknown[] | undefined) ?? []),
          ...((definition['parameters'] as unknown[] | undefined) ?? []),
        ],
      }
    })
}

/** Whether a document marks an operation as experimental. */
export function isExperimental({ definition }: Operation): boolean {
  return definition['x-stability'] === 'experimental'
}

/** Formats an operation for reports, with its operation id. */
export function named({ name, operationId }: Operation): string {
  return operationId === undefined || operationId === name ? name : `${name} (${operationId})`
}
