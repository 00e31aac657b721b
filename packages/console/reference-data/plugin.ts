import type { Plugin } from 'vite'
import type { ReferenceDocument } from '../src/reference/documents/document.ts'
import { readDocument } from '../src/reference/documents/read-document.ts'
import { indexed } from '../src/reference/documents/reference-index.ts'
import { readDocuments } from './documents.ts'

const index = 'virtual:reference'
const prefix = `${index}/`
// This prefix prevents other plugins from resolving the module as a file.
const mark = '\0'

/**
 * Makes the documents of the specifications importable: `virtual:reference` lists their operations and loads each of
 * them as a separate file.
 */
export function referenceData(): Plugin {
  let read: Promise<readonly ReferenceDocument[]> | undefined
  const documents = () => (read ??= readDocuments())
  return {
    name: 'reference-data',
    resolveId: (id) => (id === index || id.startsWith(prefix) ? mark + id : undefined),
    async load(id) {
      if (id === mark + index) return indexModule(await documents())
      if (!id.startsWith(mark + prefix)) return undefined
      const name = id.slice(mark.length + prefix.length)
      return documentModule((await documents()).find((document) => document.name === name))
    },
  }
}

function indexModule(documents: readonly ReferenceDocument[]): string {
  const loaders = documents.map(({ name }) => `${JSON.stringify(name)}: () => import('${prefix}${name}')`)
  return [
    `export const documents = ${parsed(documents.map((document) => indexed(readDocument(document))))}`,
    `export const load = {${loaders.join(',')}}`,
  ].join('\n')
}

function documentModule(document: ReferenceDocument | undefined): string {
  return `export const document = ${parsed(document)}`
}

// Browsers parse JSON faster than a literal.
function parsed(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
}
