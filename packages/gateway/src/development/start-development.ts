import type { DevnetChain, DevnetEvent } from '@fairlead/devnet'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Configuration } from '../configuration/options.ts'
import {
  type DevelopmentSecrets,
  ensureFirstStart,
  issueDevelopmentSecrets,
  type PlainSecrets,
} from '@fairlead/platform-server/first-start/first-start'
import { ensureOwnerPassword } from '@fairlead/platform-server/first-start/owner-password'
import { createPasswords } from '@fairlead/platform-server/sessions/passwords'
import { openStore } from '@fairlead/platform-server/store/open-store'
import { type Gateway, startGateway } from '../start-gateway.ts'
import {
  type DevelopmentFile,
  type DevelopmentNode,
  readDevelopmentFile,
  writeDevelopmentFile,
} from './development-file.ts'
import { loadDevnet } from './load-devnet.ts'
import { protocols } from '../protocols.ts'

const allChains = ['evm', 'beacon', 'jetton', 'solana'] as const
type ChainName = (typeof allChains)[number]

/** A gateway in development mode, and the file that describes it. */
export interface Development extends Gateway {
  readonly file: DevelopmentFile
  readonly filePath: string
}

/**
 * Starts the gateway with the embedded chains, with secrets that stay the same across starts.
 *
 * @param configuration - parsed configuration
 * @param log - log of the gateway
 * @param progress - called with one line per step, for people
 * @param signal - aborts a start that is still in progress
 * @returns the running gateway; its `stop` also stops the chains
 * @throws CommandFailure `DEVNET_NOT_INSTALLED` without `@fairlead/devnet`
 */
export async function startDevelopment(
  configuration: Configuration,
  log: Logger,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<Development> {
  const { DevnetError, startDevnet } = await loadDevnet()
  const { dataDirectory, developmentChains } = configuration
  const opened: (() => Promise<void>)[] = []
  const stop = async () => {
    const problems: unknown[] = []
    // A failed close does not prevent the others.
    for (const close of opened.splice(0).toReversed())
      await close().catch((error: unknown) => problems.push(error))
    if (problems.length > 0) throw problems[0]
  }
  try {
    const onEvent = (event: DevnetEvent) => report(event, log, progress)
    const start = (chains: readonly ChainName[]) => startDevnet({ dataDirectory, chains, onEvent, signal })
    const devnet = start(allChains.filter((name) => ['all', name].includes(developmentChains))).catch(
      (error: unknown) => {
        // The engine of the Solana chain is published for fewer platforms than the others support.
        const isWithoutEngine = error instanceof DevnetError && error.code === 'DEVNET_ENGINE_UNAVAILABLE'
        if (developmentChains !== 'all' || !isWithoutEngine) throw error
        progress('the engine of the Solana chain is unavailable for this platform; starting without it')
        return start(allChains.filter((name) => name !== 'solana'))
      },
    )
    // From here on the chains have to be stopped, even when the store cannot be opened while they are still starting.
    opened.push(async () => (await devnet.catch(() => undefined))?.stop())
    progress('opening the database')
    const { databaseUrl, secretKey } = configuration
    const store = await openStore({ databaseUrl, dataDirectory, secretKey, log })
    opened.push(() => store.close())
    const { chains } = await devnet
    const embedded = Object.fromEntries(chains.flatMap(addressesOf))
    const upstreams = Object.fromEntries(Object.keys(embedded).map((protocol) => [protocol, 'devnet']))
    const { beaconDebug } = configuration
    await ensureFirstStart(store, {
      protocols,
      upstreams,
      network: 'devnet',
      beaconDebug,
      origin: 'development',
    })
    const filePath = join(dataDirectory, 'dev.json')
    const written = await readDevelopmentFile(filePath)
    const issued = await issueDevelopmentSecrets(store, { protocols, previous: secretsOf(written) })
    const owner = await ensureOwnerPassword(store, createPasswords(), {
      origin: 'development',
      previous: typeof written?.owner_password === 'string' ? written.owner_password : undefined,
    })
    signal.throwIfAborted()
    const gateway = await startGateway(configuration, { store, log, embedded })
    opened.push(() => gateway.stop())
    const baseUrl = configuration.publicUrl ?? gateway.url
    const file: DevelopmentFile = {
      base_url: baseUrl,
      console_url: `${baseUrl}/console/`,
      api_key: issued.apiKey,
      ...(owner && { owner_email: owner.email, owner_password: owner.password }),
      organization_id: issued.organizationId,
      project_id: issued.projectId,
      nodes: chains.map((chain) => nodeOf(chain, baseUrl, issued)),
    }
    await writeDevelopmentFile(filePath, file)
    return { ...gateway, file, filePath, stop }
  } catch (error) {
    // Only the first failure is reported.
    await stop().catch(() => undefined)
    throw error
  }
}

function addressesOf({ chain, protocols: chainProtocols, url }: DevnetChain): [string, string][] {
  const ofHttp = chainProtocols.map((name): [string, string] => [name, url])
  // The EVM engine serves both protocols on one port.
  return chain === 'evm' ? [...ofHttp, ['websocket', url.replace(/^http/, 'ws')]] : ofHttp
}

/** Describes a chain for clients: all chains are protocols of the one node. */
function nodeOf(
  devnetChain: DevnetChain,
  baseUrl: string,
  { nodeId, token, username, password, xToken }: DevelopmentSecrets,
): DevelopmentNode {
  const { chain, network, protocols: chainProtocols } = devnetChain
  const isEvm = chain === 'evm'
  return {
    id: nodeId,
    chain,
    network,
    protocols: isEvm ? [...chainProtocols, 'websocket'] : chainProtocols,
    node_url: baseUrl,
    ...(isEvm && { ws_url: `${baseUrl.replace(/^http/, 'ws')}/ws` }),
    ...(devnetChain.chain === 'jetton' && { faucet_url: devnetChain.faucetUrl }),
    ...(devnetChain.chain === 'solana' && { grpc_url: baseUrl, rpc_url: devnetChain.rpcUrl }),
    ...('example' in devnetChain && { example: { ...devnetChain.example } }),
    token,
    username,
    password,
    ...(xToken !== undefined && { x_token: xToken }),
  }
}

function secretsOf(file: DevelopmentFile | undefined): PlainSecrets | undefined {
  const node = file?.nodes?.[0]
  if (!file || !node) return undefined
  const { token, username, password, x_token: xToken } = node
  return { apiKey: file.api_key, token, username, password, ...(typeof xToken === 'string' && { xToken }) }
}

const problems: ReadonlySet<DevnetEvent['kind']> = new Set([
  'exited',
  'restarting',
  'failed',
  'unsaved',
  'unresponsive',
])

function report(event: DevnetEvent, log: Logger, progress: (line: string) => void): void {
  const { kind, chain, message } = event
  if (kind === 'output') log.debug({ chain, line: event.line }, 'chain output')
  else if (problems.has(kind)) log.error({ chain, kind }, message)
  else if (kind !== 'stopping' && kind !== 'stopped') progress(`${chain}: ${message}`)
}
