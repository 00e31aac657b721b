import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A node as scripts and tests read it. Keys that a node lacks are omitted. */
export interface DevelopmentNode {
  readonly id: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  /** URL without credentials. */
  readonly node_url: string
  /** WebSocket URL, without credentials. */
  readonly ws_url?: string | undefined
  /** gRPC URL, which requires {@link x_token} as metadata. */
  readonly grpc_url?: string | undefined
  /** JSON-RPC URL of the embedded Solana chain itself: for transactions and airdrops. */
  readonly rpc_url?: string | undefined
  /** Faucet URL of an embedded chain: `POST` with `address` and, optionally, `amount`. */
  readonly faucet_url?: string | undefined
  /** Locations of the chain's sample data, including its public keys. */
  readonly example?: Readonly<Record<string, string>> | undefined
  readonly token: string
  readonly username: string
  readonly password: string
  /** Only where the node offers gRPC. */
  readonly x_token?: string | undefined
}

/** The file from which scripts and tests read where the gateway is and how to call it. */
export interface DevelopmentFile {
  readonly base_url: string
  readonly console_url: string
  readonly api_key: string
  /** The owner's sign-in to the console; omitted once the owner has chosen a password. */
  readonly owner_email?: string | undefined
  readonly owner_password?: string | undefined
  readonly organization_id: string
  readonly project_id: string
  readonly nodes: readonly DevelopmentNode[]
}

/** Reads the file of an earlier start; undefined when it is missing or incomplete. */
export async function readDevelopmentFile(path: string): Promise<DevelopmentFile | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isDevelopmentFile(content) ? content : undefined
  } catch {
    return undefined
  }
}

/** Writes the file atomically, readable by its owner only. */
export async function writeDevelopmentFile(path: string, content: DevelopmentFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  // A temporary file that a crash left behind may be readable by others, and would stay so.
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
