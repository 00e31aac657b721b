import type { Schemas } from '../schema/json-schema.ts'
import type { DocumentKind, Json, ProtoContent, ReferenceDocument } from './document.ts'
import type { Operation } from './operation.ts'
import { readOpenApi } from './read-openapi.ts'
import { readOpenRpc } from './read-openrpc.ts'
import { readProto } from './read-proto.ts'
import { listAt, objectAt, textAt } from './references.ts'

/** A document as the pages show it. */
export interface Reference {
  readonly name: string
  readonly family: string
  readonly kind: DocumentKind
  readonly title: string
  readonly version: string
  /** Markdown. */
  readonly description: string
  /** In the order of the document; each has at least one operation. */
  readonly groups: readonly Group[]
  readonly operations: readonly Operation[]
  readonly schemas: Schemas
  readonly addresses: readonly Address[]
}

/** Operations that belong together. */
export interface Group {
  readonly name: string
  readonly description: string
}

/** A base URL of the operations of a document. */
export interface Address {
  readonly description: string
  /** With an `{auth_token}` placeholder; the URL of the gateway precedes it. */
  readonly path: string
}

/** Parses a document completely. */
export function readDocument({ name, family, kind, content }: ReferenceDocument): Reference {
  const info = objectAt(content, 'info')
  const operations = readOperations(kind, content)
  const described = [
    ...listAt(content, 'tags'),
    ...listAt(content, 'services'),
    // OpenRPC describes a tag at each of its uses.
    ...listAt(content, 'methods').flatMap((method) => listAt(method, 'tags')),
  ]
  const groupNames = [
    ...new Set([...described.map((tag) => textAt(tag, 'name')), ...operations.map(({ group }) => group)]),
  ]
  return {
    name,
    family,
    kind,
    title: readTitle(textAt(info, 'title')),
    version: textAt(info, 'version'),
    description: textAt(info, 'description'),
    groups: groupNames
      .filter((group) => operations.some((operation) => operation.group === group))
      .map((group) => ({
        name: group,
        description: textAt(described.find((tag) => tag['name'] === group) ?? {}, 'description'),
      })),
    operations,
    // The bundling step has validated these schemas.
    schemas: objectAt(objectAt(content, 'components'), 'schemas') as Schemas,
    addresses: listAt(content, 'servers').map(readAddress),
  }
}

function readOperations(kind: DocumentKind, content: Json): readonly Operation[] {
  if (kind === 'openapi') return readOpenApi(content)
  return kind === 'openrpc' ? readOpenRpc(content) : readProto(content as ProtoContent)
}

// Removes the project name at the beginning of each document title, which is redundant on this page.
function readTitle(title: string): string {
  return title.replace(/^Fairlead (.)/, (_, first: string) => first.toUpperCase())
}

function readAddress(server: Json): Address {
  const address = textAt(server, 'x-address-shape') || textAt(server, 'url')
  return {
    description: textAt(server, 'summary') || textAt(server, 'description'),
    path: address.replace(/^\{[^}]*\}/, ''),
  }
}
