import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A node as scripts and tests find it; keys that a node lacks are left out. */
export interface DevelopmentNode {
  readonly id: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  /** Address without credentials. */
  readonly node_url: string
  /** Address for WebSockets, without credentials. */
  readonly ws_url?: string | undefined
  /** Address for gRPC, to which {@link x_token} goes as metadata. */
  readonly grpc_url?: string | undefined
  /** Address of the JSON-RPC of the embedded Solana chain itself: for transactions and airdrops. */
  readonly rpc_url?: string | undefined
  /** Address that gives coins of an embedded chain: `POST` with `address` and, if need be, `amount`. */
  readonly faucet_url?: string | undefined
  /** Where the sample data of the chain stands, its public keys included. */
  readonly example?: Readonly<Record<string, string>> | undefined
  readonly token: string
  readonly username: string
  readonly password: string
  /** Only where the node offers gRPC. */
  readonly x_token?: string | undefined
}

/** The one file from which scripts and tests learn where the service is and how to call it. */
export interface DevelopmentFile {
  readonly base_url: string
  readonly console_url: string
  readonly api_key: string
  /** What the owner signs in to the console with; left out once the owner has chosen a password. */
  readonly owner_email?: string | undefined
  readonly owner_password?: string | undefined
  readonly organization_id: string
  readonly project_id: string
  readonly nodes: readonly DevelopmentNode[]
}

/** Reads the file of an earlier start; undefined when there is none or it is not whole. */
export async function readDevelopmentFile(path: string): Promise<DevelopmentFile | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isDevelopmentFile(content) ? content : undefined
  } catch {
    return undefined
  }
}

/** Writes the file in one step, readable by its owner only. */
export async function writeDevelopmentFile(path: string, content: DevelopmentFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  // A draft that a crash left behind may be readable by others, and would stay so.
  await rm(draft, { force: true })
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function isDevelopmentFile(content: unknown): content is DevelopmentFile {
  return (
    hasTexts(content, ['base_url', 'console_url', 'api_key', 'organization_id', 'project_id']) &&
    Array.isArray(content['nodes']) &&
    content['nodes'].every((node) => hasTexts(node, ['id', 'node_url', 'token', 'username', 'password']))
  )
}

function hasTexts(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Readonly<Record<string, unknown>>
  return names.every((name) => typeof record[name] === 'string')
}
