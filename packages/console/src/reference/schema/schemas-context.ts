import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from './json-schema.ts'

const context = createContext<Schemas>({})

/** Gives the named schemas of a document to everything below. */
export const SchemasProvider = context.Provider

/** The named schemas of the document that is shown. */
export function useSchemas(): Schemas {
  return useContext(context)
}
