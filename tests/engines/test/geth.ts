import { reservePort } from '@fairlead/vitest/reserved-port'
import { startServerProcess } from '@fairlead/vitest/server-process'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildGoProgram } from './go-program.ts'

/** A running go-ethereum. */
export interface Geth {
  readonly httpUrl: string
  readonly webSocketUrl: string
  /** URL of the authenticated port with the engine API. A development chain has none. */
  readonly engineUrl: string | undefined
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** How go-ethereum is started. */
export interface GethStart {
  readonly folder: string
  readonly flags?: readonly string[]
  readonly namespaces?: string
  /** One reserved port for both if omitted. */
  readonly ports?: Readonly<Record<'http' | 'webSocket', number>>
}

const geth = 'github.com/ethereum/go-ethereum/cmd/geth'
const allNamespaces = 'eth,net,web3,debug,txpool'

/** Creates a data folder for a node. `remove` deletes it. */
export async function gethFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-geth-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Writes the genesis block of a chain into a folder that has none. */
export async function initialize(
  folder: string,
  genesis: object,
  flags: readonly string[] = [],
): Promise<void> {
  const file = join(folder, 'genesis.json')
  await writeFile(file, JSON.stringify(genesis))
  await promisify(execFile)(await buildGoProgram(geth), [
    'init',
    ...schemeIn(flags),
    '--datadir',
    folder,
    file,
  ])
}

/** Imports the blocks of an RLP file into a folder with their genesis block. */
export async function importChain(folder: string, file: string, flags: readonly string[]): Promise<void> {
  await promisify(execFile)(await buildGoProgram(geth), ['import', ...flags, '--datadir', folder, file])
}

// `init` accepts none of the other flags.
function schemeIn(flags: readonly string[]): readonly string[] {
  const at = flags.indexOf('--state.scheme')
  return at < 0 ? [] : flags.slice(at, at + 2)
}

async function sharedPort(): Promise<Readonly<Record<'http' | 'webSocket', number>>> {
  const port = await reservePort()
  return { http: port, webSocket: port }
}

/** Starts the version in go.mod on the loopback interface. */
export async function startGeth({
  folder,
  flags = [],
  namespaces = allNamespaces,
  ports,
}: GethStart): Promise<Geth> {
  const chosen = ports ?? (await sharedPort())
  const args =
    `--datadir ${folder} --nodiscover --ipcdisable --syncmode full --port 0 --authrpc.port 0 ` +
    `--http --http.port ${chosen.http} --http.api ${namespaces} ` +
    `--ws --ws.port ${chosen.webSocket} --ws.api ${namespaces}`
  const server = await startServerProcess({
    program: await buildGoProgram(geth),
    args: [...args.split(' '), ...flags],
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    ready: flags.includes('--dev') ? /HTTP server started/ : /HTTP server started.*auth=true/,
  })
  const [, http] = /HTTP server started +endpoint=(\S+) auth=false/.exec(server.output()) ?? []
  const [, engine] = /HTTP server started +endpoint=(\S+) auth=true/.exec(server.output()) ?? []
  const [, webSocketUrl] = /WebSocket enabled +url=(\S+)/.exec(server.output()) ?? []
  if (http === undefined || webSocketUrl === undefined)
    throw new Error(`geth named no address:\n${server.output()}`)
  return {
    httpUrl: `http://${http}`,
    engineUrl: engine === undefined ? undefined : `http://${engine}`,
    webSocketUrl,
    stop: async (signal = 'SIGTERM') => {
      await server.end(signal)
    },
  }
}
