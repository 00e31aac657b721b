import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readDocuments } from '@fairlead/console/reference-data/documents.ts'
import type { Operation } from '@fairlead/console/src/reference/documents/operation.ts'
import { type Reference, readDocument } from '@fairlead/console/src/reference/documents/read-document.ts'
import { hrefOf } from '@fairlead/console/src/reference/page/route.ts'
import { frontMatter } from '../.vitepress/summary.ts'

// Where `npm start` has the reference with schemas, examples and forms.
const service = 'http://127.0.0.1:8645'

// By which people search for the interfaces.
const knownNames: Readonly<Record<string, string>> = {
  evm: 'Ethereum JSON-RPC API',
  beacon: 'Ethereum beacon node API',
  'jetton-v2': 'TON API v2 (toncenter)',
  'jetton-v2-rpc': 'TON API v2 by JSON-RPC (toncenter)',
  'jetton-v3': 'TON API v3 (toncenter index)',
  grpc: 'gRPC APIs of Solana (Yellowstone Geyser) and Sui',
}

/** Writes a page for each document of the specifications, which lists its operations. */
export async function writeSpecificationPages(root: string): Promise<void> {
  const folder = resolve(root, 'specifications')
  await mkdir(folder, { recursive: true })
  for (const document of await readDocuments()) {
    await writeFile(resolve(folder, `${document.name}.md`), pageOf(readDocument(document)))
  }
}

function pageOf(reference: Reference): string {
  const { name, title, version, operations } = reference
  const groups = reference.groups.map((group) => {
    const rows = operations
      .filter((operation) => operation.group === group.name)
      .map((one) => rowOf(name, one))
    return `## ${group.name}\n\n| Operation | What it does |\n| --- | --- |\n${rows.join('\n')}\n`
  })
  const known = knownNames[name] ?? title
  const groupNames = reference.groups.map((group) => group.name).join(', ')
  const summary = {
    title: `${known}: all operations`,
    description: `All ${operations.length} operations of the ${known}: ${groupNames}.`,
  }
  const head = `${frontMatter(summary)}# ${title}

Version ${version}, ${operations.length} operations. Each links to its schemas, examples and form in the reference that the gateway
serves, here that of \`npm start\`.
`
  return `${head}\n${groups.join('\n')}`
}

function rowOf(document: string, operation: Operation): string {
  const { id, summary, isDeprecated } = operation
  const name = operation.kind === 'rest' ? `${operation.method} ${operation.path}` : operation.name
  const said = `${summary || firstSentence(operation.description)}${isDeprecated ? ' Deprecated.' : ''}`
  return `| [\`${name}\`](${service}${hrefOf(document, id)}) | ${cell(said)} |`
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0] ?? ''
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`)
}
