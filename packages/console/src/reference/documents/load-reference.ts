import { load } from 'virtual:reference'
import { type Reference, readDocument } from './read-document.ts'

const loaded = new Map<string, Promise<Reference>>()

/**
 * Loads a document and reads it, once for a visit.
 *
 * @throws Error when there is none with the name, or when it cannot be fetched
 */
export function loadReference(name: string): Promise<Reference> {
  const known = loaded.get(name)
  if (known) return known
  const reading = fetchReference(name)
  loaded.set(name, reading)
  // After a failure the next try asks again.
  reading.catch(() => loaded.delete(name))
  return reading
}

async function fetchReference(name: string): Promise<Reference> {
  const module = await load[name]?.()
  if (!module) throw new Error(`there is no document ${name}`)
  return readDocument(module.document)
}
