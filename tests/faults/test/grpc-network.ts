import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { reservePort } from '@fairlead/vitest/reserved-port'
import type { SolanaExample, SolanaOptions } from '@fairlead/devnet'
import { createGrpcClient, createHttp2Transport, type Http2TransportOptions } from '@fairlead/grpc'
import { GeyserDefinition } from '@fairlead/grpc/geyser'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startProcess, type TestProcess } from './grpc-process.ts'
import { type Relay, startRelay } from './grpc-relay.ts'

const chainProgram = resolve(import.meta.dirname, 'grpc-chain-process.ts')
const gatewayProgram = resolve(import.meta.dirname, '../../../packages/gateway/src/bin.ts')

/** A component that runs in a separate process, and restarts at the same URL. */
export interface Running {
  readonly url: string
  readonly process: TestProcess
  /** Kills it without notice. */
  kill(): Promise<void>
  /** Shuts it down gracefully. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** An embedded Solana chain, a gateway in front of it, and the relays between them. */
export interface GrpcNetwork {
  readonly chain: Running & { readonly example: SolanaExample }
  readonly gateway: Running
  /** Between the gateway and the chain: the first of the upstreams. */
  readonly upstream: Relay
  readonly upstreams: readonly Relay[]
  /** Between the clients and the gateway. Clients use its URL. */
  readonly downstream: Relay
  readonly token: string
  stop(): Promise<void>
}

/** A client of the Geyser service. */
export type GeyserClient = ReturnType<typeof clientOf>

/** Creates a client with separate connections. */
export function clientOf(url: string, token: string, connection: Http2TransportOptions = {}) {
  const transport = createHttp2Transport(url, connection)
  const client = createGrpcClient(GeyserDefinition, { transport, auth: { kind: 'x-token', token } })
  return Object.assign(client, { disconnect: () => transport.close() })
}

export interface NetworkOptions {
  readonly solana: SolanaOptions
  /** Number of relays to the chain, each an upstream of the gateway. One if omitted. */
  readonly upstreamCount?: number
  /** Further settings of the gateway. */
  readonly gateway?: Readonly<Record<string, string>>
}

export async function startGrpcNetwork(options: NetworkOptions): Promise<GrpcNetwork> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-grpc-'))
  const chain = await startChain(directory, options.solana)
  const upstream = await startRelay(chain.url)
  const otherProcesses = await Promise.all(
    Array.from({ length: (options.upstreamCount ?? 1) - 1 }, () => startRelay(chain.url)),
  )
  const upstreams = [upstream, ...otherProcesses]
  const urls = upstreams.map(({ url }) => url).join(' ')
  const { gateway, token } = await startGateway(directory, urls, options.gateway)
  const downstream = await startRelay(gateway.url)
  return {
    chain,
    gateway,
    upstream,
    upstreams,
    downstream,
    token,
    async stop() {
      const relays = [downstream, ...upstreams].map((relay) => relay.close())
      await Promise.all([...relays, gateway.kill(), chain.kill()])
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** An embedded chain with a relay in front of it, without a gateway. */
export interface StandaloneChain extends Pick<GrpcNetwork, 'chain' | 'upstream'> {
  stop(): Promise<void>
}

export async function startStandaloneChain(options: SolanaOptions): Promise<StandaloneChain> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-grpc-'))
  const chain = await startChain(directory, options)
  const upstream = await startRelay(chain.url)
  return {
    chain,
    upstream,
    async stop() {
      await Promise.all([upstream.close(), chain.kill()])
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function startChain(directory: string, options: SolanaOptions): Promise<GrpcNetwork['chain']> {
  const start = () =>
    startProcess({
      arguments: [chainProgram, join(directory, 'devnet'), JSON.stringify(options)],
      ready: /^(\{.*\})\n/,
      cwd: directory,
    })
  const running = await start()
  const { url, example } = JSON.parse(running.found[0] ?? '') as { url: string; example: SolanaExample }
  return Object.assign(restartable(running, url, start), { example })
}

async function startGateway(
  directory: string,
  upstream: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly gateway: Running; readonly token: string }> {
  const port = String(await reservePort())
  const start = (ready: RegExp) =>
    startProcess({
      arguments: [gatewayProgram, 'serve'],
      ready,
      cwd: directory,
      env: {
        FAIRLEAD_PORT: port,
        FAIRLEAD_GRPC_UPSTREAM: upstream,
        FAIRLEAD_LOG_LEVEL: 'error',
        FAIRLEAD_PROBE_NODES: 'false',
        ...settings,
      },
    })
  await copyEmptyDatabase(join(directory, '.fairlead'))
  const running = await start(/running at (\S+)[^]* x-token +(\S+)/)
  const [url = '', token = ''] = running.found
  const again = () => start(/running at (\S+)/)
  return { gateway: restartable(running, url, again), token }
}

function restartable(first: TestProcess, url: string, start: () => Promise<TestProcess>): Running {
  let process = first
  return {
    url,
    get process() {
      return process
    },
    kill: () => process.end('SIGKILL'),
    stop: () => process.end('SIGTERM'),
    start: async () => {
      process = await start()
    },
  }
}
