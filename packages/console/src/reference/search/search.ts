import type { IndexedDocument, IndexedOperation } from '../documents/reference-index.ts'

/** A search result. */
export interface SearchResult {
  readonly document: IndexedDocument
  readonly operation: IndexedOperation
}

const maxResults = 50

/**
 * Finds the operations that contain every word of a text, in name, URL, group or summary.
 *
 * @returns at most 50; those whose name matches come first
 */
export function search(documents: readonly IndexedDocument[], text: string): readonly SearchResult[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (terms.length === 0) return []
  return documents
    .flatMap((document) =>
      document.operations.map((operation) => ({
        document,
        operation,
        rank: rankOf(document, operation, terms),
      })),
    )
    .filter(({ rank }) => rank > 0)
    .toSorted((first, second) => second.rank - first.rank)
    .slice(0, maxResults)
}

/** The rank of an operation; 0 when a word is missing. */
function rankOf(
  { title }: IndexedDocument,
  { id, group, summary, method = '', path = '' }: IndexedOperation,
  terms: readonly string[],
): number {
  const name = id.toLowerCase()
  const address = `${method} ${path}`.toLowerCase()
  const rest = `${group} ${summary} ${title}`.toLowerCase()
  const ranks = terms.map((term) => {
    if (name === term) return 16
    if (name.startsWith(term)) return 8
    if (name.includes(term)) return 4
    if (address.includes(term)) return 2
    return rest.includes(term) ? 1 : 0
  })
  return ranks.includes(0) ? 0 : ranks.reduce<number>((sum, rank) => sum + rank, 0)
}
