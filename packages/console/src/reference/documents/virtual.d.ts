declare module 'virtual:reference' {
  import type { ReferenceDocument } from './document.ts'
  import type { IndexedDocument } from './reference-index.ts'

  /** Every document of the specifications, in their order. */
  export const documents: readonly IndexedDocument[]

  /** Loads a document by name. */
  export const load: Readonly<Record<string, () => Promise<{ readonly document: ReferenceDocument }>>>
}
