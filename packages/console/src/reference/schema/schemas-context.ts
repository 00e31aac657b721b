import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from './json-schema.ts'

const context = createContext<Schemas>({})

/** Provides the named schemas of a document to all components below. */
export const SchemasProvider = context.Provider

/** The named schemas of the current document. */
export function useSchemas(): Schemas {
  return useContext(context)
}
