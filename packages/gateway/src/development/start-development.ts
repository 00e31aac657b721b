import { type DevnetChain, type DevnetEvent, startDevnet } from '@fairlead/devnet'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Configuration } from '../configuration/options.ts'
import { ensureFirstStart, issueDevelopmentSecrets, type PlainSecrets } from '../control/bootstrap.ts'
import { openStore } from '../control/store/open-store.ts'
import { type Gateway, startGateway } from '../start-gateway.ts'
import { type DevelopmentFile, readDevelopmentFile, writeDevelopmentFile } from './development-file.ts'

/** A service in development mode and the file that describes it. */
export interface Development extends Gateway {
  readonly file: DevelopmentFile
  readonly filePath: string
}

/**
 * Starts the service over the embedded chains, with secrets that stay the same from start to start.
 *
 * @param configuration - parsed configuration
 * @param log - log of the service
 * @param progress - hears one line per step, for people
 * @param signal - ends a start that is still under way
 * @returns the running service; its `stop` ends the chains too
 */
export async function startDevelopment(
  configuration: Configuration,
  log: Logger,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<Development> {
  const { dataDirectory } = configuration
  const opened: (() => Promise<void>)[] = []
  const stop = async () => {
    const problems: unknown[] = []
    // What fails to close keeps nothing else from being closed.
    for (const close of opened.splice(0).toReversed())
      await close().catch((error: unknown) => problems.push(error))
    if (problems.length > 0) throw problems[0]
  }
  try {
    const onEvent = (event: DevnetEvent) => report(event, log, progress)
    const devnet = startDevnet({ dataDirectory, onEvent, signal })
    // From here on it has to be stopped, also when the store cannot be opened while the chains are still starting.
    opened.push(async () => (await devnet.catch(() => undefined))?.stop())
    progress('opening the database')
    const store = await openStore({ databaseUrl: configuration.databaseUrl, dataDirectory, log })
    opened.push(() => store.close())
    const { chains } = await devnet
    const embedded = Object.fromEntries(chains.flatMap(addressesOf))
    const upstreams = Object.fromEntries(Object.keys(embedded).map((protocol) => [protocol, 'devnet']))
    await ensureFirstStart(store, { upstreams, network: 'devnet', origin: 'development' })
    const filePath = join(dataDirectory, 'dev.json')
    const previous = secretsOf(await readDevelopmentFile(filePath))
    const issued = await issueDevelopmentSecrets(store, { previous })
    signal.throwIfAborted()
    const gateway = await startGateway(configuration, { store, log, embedded })
    opened.push(() => gateway.stop())
    const baseUrl = configuration.publicUrl ?? gateway.url
    const file: DevelopmentFile = {
      base_url: baseUrl,
      console_url: `${baseUrl}/console/`,
      api_key: issued.apiKey,
      organization_id: issued.organizationId,
      project_id: issued.projectId,
      nodes: chains.map(({ chain, network, protocols }) => ({
        id: issued.nodeId,
        chain,
        network,
        protocols: [...protocols, 'websocket'],
        node_url: baseUrl,
        ws_url: `${baseUrl.replace(/^http/, 'ws')}/ws`,
        token: issued.token,
        username: issued.username,
        password: issued.password,
      })),
    }
    await writeDevelopmentFile(filePath, file)
    return { url: gateway.url, file, filePath, stop }
  } catch (error) {
    // The first failure is the one to tell about.
    await stop().catch(() => undefined)
    throw error
  }
}

// The engine speaks both on one port.
function addressesOf({ protocols, url }: DevnetChain): [string, string][] {
  const ofHttp = protocols.map((name): [string, string] => [name, url])
  return [...ofHttp, ['websocket', url.replace(/^http/, 'ws')]]
}

function secretsOf(file: DevelopmentFile | undefined): PlainSecrets | undefined {
  const node = file?.nodes?.[0]
  return file && node
    ? { apiKey: file.api_key, token: node.token, username: node.username, password: node.password }
    : undefined
}

function report(event: DevnetEvent, log: Logger, progress: (line: string) => void): void {
  const { kind, chain, message } = event
  if (kind === 'output') log.debug({ chain, line: event.line }, 'chain output')
  else if (kind === 'exited' || kind === 'restarting' || kind === 'failed' || kind === 'unsaved') {
    log.error({ chain, kind }, message)
  } else if (kind !== 'stopping' && kind !== 'stopped') progress(message)
}
