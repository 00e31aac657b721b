import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { type ServerProcess, startServerProcess } from '@fairlead/vitest/server-process'
import { cpSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../../..')

/** A node as described in `.fairlead/dev.json`. */
export interface DevelopmentNode {
  readonly id: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  readonly node_url: string
  readonly token: string
  readonly username: string
  readonly password: string
}

/** The node of the jetton chain, with a public faucet. */
export interface JettonNode extends DevelopmentNode {
  readonly faucet_url: string
  readonly example: { readonly wallet_seed: string }
}

/** The node of the Solana chain, which serves gRPC. The chain itself accepts transactions over JSON-RPC. */
export interface SolanaNode extends DevelopmentNode {
  readonly grpc_url: string
  readonly rpc_url: string
  readonly x_token: string
  readonly example: {
    readonly payer: string
    readonly recipient: string
    readonly mint: string
    readonly token_account: string
    readonly recipient_token_account: string
  }
}

/** The content of `.fairlead/dev.json`. Tests use only what scripts can read, too. */
export interface DevelopmentFile {
  readonly base_url: string
  readonly console_url: string
  readonly owner_email: string
  readonly owner_password: string
  readonly api_key: string
  readonly organization_id: string
  readonly project_id: string
  readonly nodes: readonly [
    evm: DevelopmentNode & { readonly ws_url: string },
    beacon: DevelopmentNode,
    jetton: JettonNode,
    solana: SolanaNode,
  ]
}

export type { ServerProcess }

/** A gateway in front of the embedded chains, as `npm start` runs it. */
export interface DevelopmentGateway extends ServerProcess {
  readonly file: DevelopmentFile
}

/** Path of the database of a gateway in a folder. */
export const databaseOf = (folder: string): string => join(folder, '.fairlead/control')

/**
 * Creates a folder for a gateway. `remove` deletes it.
 *
 * @param database - a database with records to copy; without it, the gateway starts with an empty one
 */
export async function temporaryFolder(
  database?: string,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-e2e-'))
  if (database === undefined) await copyEmptyDatabase(join(path, '.fairlead'))
  else {
    cpSync(database, databaseOf(path), { recursive: true })
    // Encrypted records can be read only with this key.
    await cp(join(database, '../secret.key'), join(path, '.fairlead/secret.key'))
  }
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** For tests that only need the EVM chain, because two chains take longer to start. */
export const evmOnly = { FAIRLEAD_DEVELOPMENT_CHAINS: 'evm' } as const

/**
 * Starts the gateway in front of the embedded chains in a folder and waits until it responds.
 *
 * @throws Error with its output when it exits early
 */
export async function startGateway(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<DevelopmentGateway> {
  const gateway = await startProcess('dev', folder, environment)
  const file = JSON.parse(await readFile(join(folder, '.fairlead/dev.json'), 'utf8')) as DevelopmentFile
  return { ...gateway, file }
}

/**
 * Starts the gateway in a folder and waits until it responds.
 *
 * @param command - `dev` for the embedded chains, `serve` for the nodes that the environment names
 * @param args - further command-line arguments
 * @throws Error with its output when it exits early
 */
export async function startProcess(
  command: 'dev' | 'serve',
  folder: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ServerProcess> {
  return startServerProcess({
    program: process.execPath,
    args: [
      // Optimized compilation of WebAssembly takes longer than the tests run.
      '--liftoff-only',
      '--conditions=@fairlead/source',
      join(repository, 'packages/gateway/src/bin.ts'),
      command,
      ...args,
    ],
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      FAIRLEAD_PORT: '0',
      // Otherwise, every start would compile the same sources again.
      NODE_COMPILE_CACHE: join(tmpdir(), 'fairlead-compile-cache'),
      ...environment,
    },
  })
}
