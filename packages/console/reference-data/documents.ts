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
  return prune(kind === 'openrpc' ? { ...document, methods: methodsOf(document) } : document)
}

// Fields of a document that no page shows.
const hidden = new Set(['openapi', 'openrpc', 'security', 'x-tagGroups'])

/** The parts of a document that the pages show, with the components that they reference. */
function prune(document: Json): Json {
  const { components, ...rest } = document
  const visible = Object.fromEntries(Object.entries(rest).filter(([key]) => !hidden.has(key)))
  const references = new Set<string>()
  collect(visible, document, references)
  return { ...visible, components: pickComponents(components as Record<string, Json>, references) }
}

function collect(value: unknown, document: Json, references: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, document, references)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    if (key !== '$ref' || typeof item !== 'string' || references.has(item))
      collect(item, document, references)
    else {
      references.add(item)
      collect(targetOf(item, document), document, references)
    }
  }
}

function targetOf(reference: string, document: Json): unknown {
  const keys = reference.slice(2).split('/')
  return keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], document)
}

function pickComponents(components: Readonly<Record<string, Json>>, references: ReadonlySet<string>): Json {
  return Object.fromEntries(
    Object.entries(components).map(([kind, entries]) => [
      kind,
      Object.fromEntries(
        Object.entries(entries).filter(([name]) => references.has(`#/components/${kind}/${name}`)),
      ),
    ]),
  )
}
