import type { IndexedDocument, IndexedOperation } from '../documents/reference-index.ts'

/** A search result. */
export interface Found {
  readonly document: IndexedDocument
  readonly operation: IndexedOperation
}

const most = 50

/**
 * Finds the operations that contain every word of a text, in name, URL, group or summary.
 *
 * @returns at most 50; those whose name matches come first
 */
export function search(documents: readonly IndexedDocument[], text: string): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return documents
    .flatMap((document) =>
      document.operations.map((operation) => ({
        document,
        operation,
        rank: rankOf(document, operation, words),
      })),
    )
    .filter(({ rank }) => rank > 0)
    .toSorted((first, second) => second.rank - first.rank)
    .slice(0, most)
}

/** The rank of an operation; 0 when a word is missing. */
function rankOf(
  { title }: IndexedDocument,
  { id, group, summary, method = '', path = '' }: IndexedOperation,
  words: readonly string[],
): number {
  const name = id.toLowerCase()
  const address = `${method} ${path}`.toLowerCase()
  const rest = `${group} ${summary} ${title}`.toLowerCase()
  const ranks = words.map((word) => {
    if (name === word) return 16
    if (name.startsWith(word)) return 8
    if (name.includes(word)) return 4
    if (address.includes(word)) return 2
    return rest.includes(word) ? 1 : 0
  })
  return ranks.includes(0) ? 0 : ranks.reduce<number>((sum, rank) => sum + rank, 0)
}
