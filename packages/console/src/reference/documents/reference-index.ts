import type { Operation } from './operation.ts'
import type { Reference } from './read-document.ts'

/** The data of every document before one of them is opened. */
export interface IndexedDocument {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly operations: readonly IndexedOperation[]
}

/** An operation in lists and in the search. */
export interface IndexedOperation {
  readonly id: string
  readonly name: string
  readonly group: string
  readonly summary: string
  /** Verb of a REST operation. */
  readonly method?: string
  /** Of a REST operation. */
  readonly path?: string
  readonly isDeprecated?: true
}

/** Extracts the data for lists and the search from a document. */
export function indexed({ name, title, version, operations }: Reference): IndexedDocument {
  return { name, title, version, operations: operations.map(indexedOperation) }
}

function indexedOperation(operation: Operation): IndexedOperation {
  const { id, name, group, summary, isDeprecated } = operation
  return {
    id,
    name,
    group,
    summary,
    ...(operation.kind === 'rest' && { method: operation.method, path: operation.path }),
    ...(isDeprecated && { isDeprecated }),
  }
}
