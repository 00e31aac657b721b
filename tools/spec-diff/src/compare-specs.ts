import { bundle, type Json } from '@fairlead/codegen/src/bundle.ts'
import { readChains } from '@fairlead/codegen/src/chains.ts'
import { type Family, publicFiles, type SpecDocument } from '@fairlead/codegen/src/families.ts'
import { protobufDescriptors } from '@fairlead/codegen/src/protobuf.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Bump, type Change, highest } from './change.ts'
import { familiesIn } from './families.ts'
import { compareOpenapi } from './openapi/compare-openapi.ts'
import { compareOpenrpc } from './openrpc/compare-openrpc.ts'
import { compareProto } from './proto/compare-proto.ts'

/** The comparison of one document. */
export interface DocumentReport {
  readonly name: string
  /** The file or folder below `specs/`. */
  readonly entry: string
  readonly bump: Bump
  /** `info.version` of both sides, if the document has one. */
  readonly version: { readonly base?: string; readonly head?: string }
  readonly changes: readonly Change[]
}

/** The documents of one family. */
export interface FamilyReport {
  readonly family: string
  readonly package: string
  readonly directory: string
  readonly bump: Bump
  readonly documents: readonly DocumentReport[]
}

/**
 * Compares all specifications of two checkouts.
 *
 * @param base - folder that contains the older `specs/`
 * @param head - folder that contains the newer `specs/`
 * @returns a report for each family of either side, changed or not
 * @throws Error naming the document that cannot be read
 */
export async function compareSpecs(base: string, head: string): Promise<readonly FamilyReport[]> {
  const before = familiesIn(base)
  const after = familiesIn(head)
  const removed = before.filter(({ name }) => !after.some((family) => family.name === name))
  const reports: FamilyReport[] = []
  for (const family of [...after, ...removed]) {
    const sides = {
      base: before.find(({ name }) => name === family.name),
      head: after.find(({ name }) => name === family.name),
    }
    const documents = await compareFamily(sides, base, head)
    const bump = highest(documents.map((document) => document.bump))
    reports.push({
      family: family.name,
      package: family.package,
      directory: family.directory,
      bump,
      documents,
    })
  }
  return reports
}

interface Sides<value> {
  readonly base: value | undefined
  readonly head: value | undefined
}

async function compareFamily(
  family: Sides<Family>,
  base: string,
  head: string,
): Promise<readonly DocumentReport[]> {
  const names = [...(family.head?.documents ?? []), ...(family.base?.documents ?? [])].map(({ name }) => name)
  const folder = (family.head ?? family.base)?.name ?? ''
  const isUnchanged = contents(join(base, 'specs', folder)) === contents(join(head, 'specs', folder))
  const reports: DocumentReport[] = []
  for (const name of new Set(names)) {
    const sides = {
      base: family.base?.documents.find((document) => document.name === name),
      head: family.head?.documents.find((document) => document.name === name),
    }
    reports.push(await compareDocument(sides, base, head, isUnchanged))
  }
  return reports
}

// Documents of a family share files, so they are equal if all files are equal.
function contents(folder: string): string {
  return existsSync(folder) ? JSON.stringify(publicFiles(folder)) : ''
}

async function compareDocument(
  document: Sides<SpecDocument>,
  base: string,
  head: string,
  isUnchanged: boolean,
): Promise<DocumentReport> {
  const { name = '', entry = '' } = document.head ?? document.base ?? {}
  const changes = isUnchanged
    ? []
    : await compare(
        name,
        document.base && (await readDocument(document.base, base)),
        document.head && (await readDocument(document.head, head)),
      )
  const before = document.base && versionOf(document.base, base)
  const after = document.head && versionOf(document.head, head)
  return {
    name,
    entry,
    bump: highest(changes.map(({ bump }) => bump)),
    version: { ...(before !== undefined && { base: before }), ...(after !== undefined && { head: after }) },
    changes,
  }
}

function versionOf({ kind, entry }: SpecDocument, root: string): string | undefined {
  if (kind === 'proto') return undefined
  const document = parse(readFileSync(join(root, 'specs', entry), 'utf8')) as { info?: { version?: string } }
  return document.info?.version
}

type Read =
  | { readonly kind: 'openapi'; readonly document: Json }
  | {
      readonly kind: 'openrpc'
      readonly document: Json
      readonly chains: ReturnType<typeof readChains>
    }
  | {
      readonly kind: 'proto'
      readonly text: string
      readonly files: Awaited<ReturnType<typeof protobufDescriptors>>
    }

async function readDocument({ kind, entry }: SpecDocument, root: string): Promise<Read> {
  const path = join(root, 'specs', entry)
  try {
    if (kind === 'proto') return { kind, text: contents(path), files: await protobufDescriptors(path) }
    const document = await bundle(path)
    return kind === 'openapi' ? { kind, document } : { kind, document, chains: readChains(path) }
  } catch (error) {
    throw new Error(`specs/${entry} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

async function compare(
  name: string,
  before: Read | undefined,
  after: Read | undefined,
): Promise<readonly Change[]> {
  if (!before || !after || before.kind !== after.kind) return [documentChange(name, before, after)]
  if (before.kind === 'openapi' && after.kind === 'openapi')
    return compareOpenapi(before.document, after.document)
  if (before.kind === 'openrpc' && after.kind === 'openrpc') return compareOpenrpc(before, after)
  if (before.kind !== 'proto' || after.kind !== 'proto') return []
  const changes = await compareProto(before.files, after.files)
  return changes.length > 0 || before.text === after.text ? changes : [comments]
}

const comments: Change = {
  bump: 'patch',
  category: 'words',
  affected: 'nobody',
  place: 'proto files',
  pointer: '',
  what: 'Comments or options changed.',
}

function documentChange(name: string, before: Read | undefined, after: Read | undefined): Change {
  const place = `document ${name}`
  if (!before)
    return {
      bump: 'minor',
      category: 'added',
      affected: 'server',
      place,
      pointer: '',
      what: 'The document was added.',
    }
  const what = after ? 'The document is of another kind.' : 'The document was removed.'
  return { bump: 'major', category: 'breaking', affected: 'both', place, pointer: '', what }
}
