import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { FairleadError } from '@fairlead/core'
import type { Logger } from 'pino'
import { configuredUpstreams } from '../configuration/configured-upstreams.ts'
import type { Configuration } from '../configuration/options.ts'
import { ensureFirstStart, type FirstStart } from '@fairlead/platform-server/first-start/first-start'
import { ensureOwnerPassword, type OwnerSignIn } from '@fairlead/platform-server/first-start/owner-password'
import { createPasswords } from '@fairlead/platform-server/sessions/passwords'
import { openStore, type Store } from '@fairlead/platform-server/store/open-store'
import { createLog } from '../observe/log.ts'
import { type Gateway, maxStopMs, startGateway } from '../start-gateway.ts'
import { followConfiguration } from './follow-configuration.ts'
import { type CurrentWorker, currentWorker } from './current-worker.ts'
import { listenForShutdown } from './shutdown-signal.ts'
import { warnAboutOpenFileLimit } from './warn-about-open-file-limit.ts'
import { startWorkers } from './workers.ts'
import { protocols } from '../protocols.ts'

/** Callbacks of {@link serve}. */
export interface ServeParts {
  /** Reads the configuration again, as at startup. */
  readonly read: () => Configuration
  /** Prints a line for people. */
  readonly print: (text: string) => void
}

// Time for the last request on a keep-alive connection, before the connection is closed.
const lastRequestMs = 5_000

/** Runs the gateway in front of the configured upstreams until a shutdown signal: in this process, or in several. */
export async function serve(configuration: Configuration, parts: ServeParts): Promise<void> {
  const log = createLog(configuration.logLevel ?? 'info')
  const worker = cluster.isWorker ? currentWorker() : undefined
  if (worker) return serveAsWorker(configuration, parts, worker, log)
  const { processes, databaseUrl } = configuration
  if (processes === 1) return serveInProcess(configuration, parts, log)
  if (databaseUrl === undefined) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_PROCESSES',
      rule: 'must be 1 without DATABASE_URL, because the embedded database supports only one process',
    })
  }
  return serveInWorkers(configuration, parts, log)
}

async function serveInProcess(configuration: Configuration, parts: ServeParts, log: Logger): Promise<void> {
  const { print } = parts
  const { shutdown } = listenForShutdown(() => print('stopping'))
  warnAboutOpenFileLimit(log)
  await withStore(configuration, log, async (store) => {
    const first = await firstStart(store, configuration)
    const gateway = await startGateway(configuration, { store, log }).catch(rethrowAfter(print, first))
    const follower = followConfiguration({ configuration, read: parts.read, gateway, store, log })
    process.on('SIGHUP', follower.reload)
    announce(print, configuration, gateway, first)
    await shutdown
    await drained(gateway, configuration)
    await gateway.stop()
    await follower.settled()
  })
}

async function serveInWorkers(configuration: Configuration, parts: ServeParts, log: Logger): Promise<void> {
  const { print } = parts
  const { shutdown } = listenForShutdown(() => print('stopping'))
  warnAboutOpenFileLimit(log)
  // Done once for all workers: the schema, the first node and its secrets.
  const first = await withStore(configuration, log, (store) => firstStart(store, configuration))
  const count = configuration.processes === 0 ? availableParallelism() : configuration.processes
  const endMs = configuration.drainDelayMs + lastRequestMs + maxStopMs + 5_000
  const workers = await startWorkers({ count, log, endMs }).catch(rethrowAfter(print, first))
  process.on('SIGHUP', () => workers.reload())
  process.on('SIGUSR2', () => void workers.replaceAll())
  announce(print, configuration, workers, first)
  await shutdown
  await workers.stop()
}

async function serveAsWorker(
  configuration: Configuration,
  parts: ServeParts,
  worker: CurrentWorker,
  log: Logger,
): Promise<void> {
  const workerLog = log.child({ worker: worker.number })
  // Ctrl-C reaches every process of a terminal; the primary process controls this one.
  process.on('SIGINT', () => undefined)
  const shutdown = new Promise<'disconnect' | 'stop'>((resolve) => {
    process.on('SIGTERM', () => resolve('stop'))
    worker.onCommand((command) => void (command === 'reload' || resolve(command)))
  })
  await withStore(configuration, workerLog, async (store) => {
    const gateway = await startGateway(configuration, {
      store,
      log: workerLog,
      publishMetrics: (registry) => worker.publish(registry),
      isScheduledProber: worker.number === 1,
    })
    const follower = followConfiguration({ configuration, read: parts.read, gateway, store, log: workerLog })
    worker.onCommand((command) => void (command === 'reload' && follower.reload()))
    worker.ready({ url: gateway.url, tlsUrl: gateway.tlsUrl })
    if ((await shutdown) === 'disconnect') await gateway.stopListening(lastRequestMs)
    else await drained(gateway, configuration)
    await gateway.stop()
    await follower.settled()
    await worker.finalReport()
  })
}

/** Gives load balancers time to detect that this gateway is shutting down. */
async function drained(gateway: Gateway, { drainDelayMs }: Configuration): Promise<void> {
  gateway.drain()
  if (drainDelayMs > 0) await pause(drainDelayMs)
}

async function withStore<result>(
  configuration: Configuration,
  log: Logger,
  run: (store: Store) => Promise<result>,
): Promise<result> {
  const { databaseUrl, dataDirectory, secretKey } = configuration
  const store = await openStore({ databaseUrl, dataDirectory, secretKey, log })
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}

/** Results of a start that are printed once. */
interface StartResult {
  readonly first: FirstStart
  readonly owner: OwnerSignIn | undefined
}

/**
 * Creates the records of the configured node, or updates them to the configuration; and creates the owner's sign-in.
 */
async function firstStart(store: Store, configuration: Configuration): Promise<StartResult> {
  const { network, beaconDebug, revealCredentials } = configuration
  const upstreams = configuredUpstreams(configuration)
  const first = await ensureFirstStart(store, {
    protocols,
    upstreams,
    network,
    beaconDebug,
    revealCredentials,
  })
  const owner = await ensureOwnerPassword(store, createPasswords(), { origin: 'first-start' })
  return { first, owner }
}

/** Prints the secrets of a first start that failed after it had created them: no later start prints them. */
function rethrowAfter(print: (text: string) => void, result: StartResult): (error: unknown) => never {
  return (error) => {
    const text = secretsOf(result)
    if (text !== '') print(`The gateway did not start, but its records exist.\n${text}`)
    throw error
  }
}

function announce(
  print: (text: string) => void,
  { publicUrl }: Configuration,
  { url, tlsUrl }: { readonly url: string; readonly tlsUrl?: string | undefined },
  result: StartResult,
): void {
  print(`Fairlead is running at ${publicUrl ?? url}`)
  if (tlsUrl !== undefined) print(`and with TLS at ${tlsUrl}`)
  const text = secretsOf(result)
  if (text !== '') print(text)
  if (result.owner) print(`Sign in at ${publicUrl ?? url}/console/ and set a new password.\n`)
}

/** The secrets that this start has created, as text for people; empty when there are none. */
function secretsOf({ first, owner }: StartResult): string {
  const lines: string[] = []
  if (first.created) {
    lines.push(
      '\nStore these credentials. They are not printed again:',
      `  API key    ${first.apiKey}`,
      `  token      ${first.token}`,
      `  username   ${first.username}`,
      `  password   ${first.password}`,
      ...(first.xToken === undefined ? [] : [`  x-token    ${first.xToken}`]),
      '',
    )
  } else if (first.xToken !== undefined) {
    lines.push(
      '\nThe node now serves gRPC. Store its credential. It is not printed again:',
      `  x-token    ${first.xToken}`,
      '',
    )
  }
  if (owner)
    lines.push(
      'The sign-in of the owner:',
      `  e-mail     ${owner.email}`,
      `  password   ${owner.password}`,
      '',
    )
  return lines.join('\n')
}
