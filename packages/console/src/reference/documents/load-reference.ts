import { load } from 'virtual:reference'
import { type Reference, readDocument } from './read-document.ts'

const loaded = new Map<string, Promise<Reference>>()

/**
 * Loads and parses a document, once per visit.
 *
 * @throws Error when no document has the name, or when it cannot be loaded
 */
export function loadReference(name: string): Promise<Reference> {
  const cached = loaded.get(name)
  if (cached) return cached
  const reading = fetchReference(name)
  loaded.set(name, reading)
  // After a failure the next call loads it again.
  reading.catch(() => loaded.delete(name))
  return reading
}

async function fetchReference(name: string): Promise<Reference> {
  const module = await load[name]?.()
  if (!module) throw new Error(`unknown document: ${name}`)
  return readDocument(module.document)
}
