import { bundle } from '@fairlead/codegen/src/bundle.ts'
import { type Family, readFamilies, type SpecDocument, specsRoot } from '@fairlead/codegen/src/families.ts'
import { methodsOf } from '@fairlead/codegen/src/openrpc-types.ts'
import { protobufDescriptors } from '@fairlead/codegen/src/protobuf.ts'
import { join } from 'node:path'
import type { Json, ReferenceDocument } from '../src/reference/documents/document.ts'
import { protoContent } from './proto-content.ts'

/** Reads every document of the specifications, in their order. */
export function readDocuments(): Promise<readonly ReferenceDocument[]> {
  return Promise.all(
    readFamilies().flatMap((family) => family.documents.map((document) => readDocument(family, document))),
  )
}

async function readDocument(
  { name: family }: Family,
  { kind, entry, name }: SpecDocument,
): Promise<ReferenceDocument> {
  return { name, family, kind, content: await readContent(kind, join(specsRoot, entry)) }
}

async function readContent(kind: SpecDocument['kind'], path: string): Promise<Json> {
  if (kind === 'proto') return protoContent(await protobufDescriptors(path, { comments: true }))
  const document = await bundle(path)
  // Bundling does not resolve references in extensions; these methods resolve them.
  return used(kind === 'openrpc' ? { ...document, methods: methodsOf(document) } : document)
}

// Fields of a document that no page shows.
const hidden = new Set(['openapi', 'openrpc', 'security', 'x-tagGroups'])

/** The parts of a document that the pages show, with the components that they reference. */
function used(document: Json): Json {
  const { components, ...rest } = document
  const shown = Object.fromEntries(Object.entries(rest).filter(([key]) => !hidden.has(key)))
  const found = new Set<string>()
  collect(shown, document, found)
  return { ...shown, components: kept(components as Record<string, Json>, found) }
}

function collect(value: unknown, document: Json, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, document, found)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    if (key !== '$ref' || typeof item !== 'string' || found.has(item)) collect(item, document, found)
    else {
      found.add(item)
      collect(targetOf(item, document), document, found)
    }
  }
}

function targetOf(reference: string, document: Json): unknown {
  const keys = reference.slice(2).split('/')
  return keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], document)
}

function kept(components: Readonly<Record<string, Json>>, found: ReadonlySet<string>): Json {
  return Object.fromEntries(
    Object.entries(components).map(([kind, entries]) => [
      kind,
      Object.fromEntries(
        Object.entries(entries).filter(([name]) => found.has(`#/components/${kind}/${name}`)),
      ),
    ]),
  )
}
