import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { generate } from 'selfsigned'
import { postgresPrograms, startPostgres } from '@fairlead/vitest/postgres'
import { startRedis } from '@fairlead/vitest/redis'
import { startServerProcess } from '@fairlead/vitest/server-process'
import type { AttackTarget } from '../attacker/target.ts'
import { call, openClient } from '../measurement/call.ts'
import { childrenOf } from '../measurement/process-usage.ts'
import { startDocumentedNginx } from './nginx.ts'
import { addOrganizations } from './organizations.ts'
import type { UpstreamUrls } from './upstream-process.ts'

/** How the attacked gateway is deployed. */
export interface Deployment {
  /** With Redis as the shared store. */
  readonly redis: boolean
  /** With two processes on one port. */
  readonly processes: boolean
  /** Clients use the port with TLS. */
  readonly tls: boolean
  /** Clients reach it through nginx, configured as in the documentation. */
  readonly nginx: boolean
}

/** The deployment without options: one process, clients on its plain port. */
export const plainDeployment: Deployment = { redis: false, processes: false, tls: false, nginx: false }

/** A gateway with two organizations, in its own process, in front of upstreams in another one. */
export interface AttackedGateway {
  readonly target: AttackTarget
  /** URL of the plain port, which a proxy may not serve in full. */
  readonly url: string
  /** URL with the credential of the bystander, on the port that the attack uses. */
  readonly bystanderUrl: string
  /** Header fields that the URL of the bystander needs. */
  readonly bystanderHost: string
  /** Ids of the processes that serve requests. */
  processIds(): readonly number[]
  output(): string
  stop(): Promise<void>
}

/** Heap of the gateway, in megabytes: a process that holds more than it counts ends, instead of using the machine. */
const heapMb = 256
const credentials = 60
const secretKey = '5a'.repeat(32)
const repository = resolve(import.meta.dirname, '../../../..')
const readyPattern =
  /running at (\S+)\n(?:and with TLS at (\S+)\n)?[^]* API key +(\S+)\n[^]* x-token +(\S+)\n/

/** Starts a gateway with a new database, and waits until the bystander is served. */
export async function startAttackedGateway(
  deployment: Deployment = plainDeployment,
): Promise<AttackedGateway> {
  if (postgresPrograms === undefined) throw new Error('Install PostgreSQL: apt-get install postgresql.')
  const cleanups: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  try {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-attacks-'))
    cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const postgres = await startPostgres(postgresPrograms)
    cleanups.push(() => postgres.stop())
    const redis = deployment.redis ? await startRedis() : undefined
    if (redis) cleanups.push(() => redis.kill())
    // The bystander calls the EVM node. What the others send to the attack must not delay its responses.
    const evmUpstream = (await startUpstream(cleanups)).http
    const others = await startUpstream(cleanups)
    const { certificate, key } = await writeCertificate(folder)
    const gateway = await startServerProcess({
      program: process.execPath,
      args: [
        `--max-old-space-size=${heapMb}`,
        '--conditions=@fairlead/source',
        join(repository, 'packages/gateway/src/bin.ts'),
        'serve',
      ],
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        NODE_COMPILE_CACHE: join(tmpdir(), 'fairlead-compile-cache'),
        DATABASE_URL: `${postgres.url}?connect_timeout=50`,
        FAIRLEAD_SECRET_KEY: secretKey,
        FAIRLEAD_PORT: '0',
        FAIRLEAD_PROBE_NODES: 'false',
        FAIRLEAD_LOG_LEVEL: 'error',
        FAIRLEAD_EVM_UPSTREAM: evmUpstream,
        FAIRLEAD_BEACON_UPSTREAM: others.http,
        FAIRLEAD_GRPC_UPSTREAM: others.grpc,
        ...(redis && { FAIRLEAD_VALKEY_URL: redis.url }),
        ...(deployment.processes && { FAIRLEAD_PROCESSES: '2' }),
        ...(deployment.tls && {
          FAIRLEAD_TLS_PORT: '0',
          FAIRLEAD_TLS_CERTIFICATE_FILE: certificate,
          FAIRLEAD_TLS_KEY_FILE: key,
        }),
        ...(deployment.nginx && { FAIRLEAD_TRUSTED_PROXIES: '127.0.0.1' }),
      },
      ready: readyPattern,
    })
    cleanups.push(() => gateway.end('SIGKILL'))
    const [, url = '', tlsUrl, apiKey = ''] = readyPattern.exec(gateway.output()) ?? []
    const database = { databaseUrl: postgres.url, dataDirectory: folder, secretKey }
    const { attacker, bystanderToken } = await addOrganizations(database, evmUpstream, credentials)
    const proxy = deployment.nginx
      ? await startDocumentedNginx({ folder, certificate, key, gateway: new URL(url).host })
      : undefined
    if (proxy) cleanups.push(() => proxy.stop())
    const entry = new URL(proxy?.url ?? tlsUrl ?? url)
    const target: AttackTarget = {
      ...attacker,
      apiKey,
      port: Number(entry.port),
      isSecure: entry.protocol === 'https:',
      authority: proxy?.host ?? entry.host,
      grpcAuthority: proxy?.grpcHost ?? entry.host,
      consoleFile: await largestConsoleFile(url),
    }
    const bystanderUrl = `${entry.origin}/${bystanderToken}`
    await untilServed(bystanderUrl, target.authority)
    const { pid = 0 } = gateway.process
    return {
      target,
      url,
      bystanderUrl,
      bystanderHost: target.authority,
      processIds: () => (deployment.processes ? childrenOf(pid) : [pid]),
      output: gateway.output,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startUpstream(cleanups: (() => Promise<unknown>)[]): Promise<UpstreamUrls> {
  const child = fork(new URL('./upstream-process.ts', import.meta.url), {
    execArgv: ['--conditions=@fairlead/source'],
  })
  const ended = once(child, 'exit')
  cleanups.push(() => {
    child.kill('SIGKILL')
    return ended
  })
  const [urls] = (await once(child, 'message')) as [UpstreamUrls]
  return urls
}

async function writeCertificate(
  folder: string,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const pems = await generate([{ name: 'commonName', value: 'fairlead.example.com' }])
  const [certificate, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')]
  await Promise.all([writeFile(certificate, pems.cert), writeFile(key, pems.private)])
  return { certificate, key }
}

/** Returns the path of the largest file of the console, as a page of it names them. */
async function largestConsoleFile(url: string): Promise<string> {
  const page = await (await fetch(`${url}/console/`)).text()
  const files = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path ?? '')
  const sized = await Promise.all(
    files.map(async (path) => {
      const response = await fetch(new URL(path, `${url}/console/`))
      return { path: new URL(response.url).pathname, bytes: (await response.arrayBuffer()).byteLength }
    }),
  )
  const [largest] = sized.toSorted((a, b) => b.bytes - a.bytes)
  if (largest === undefined)
    throw new Error("Build the console: npx turbo run build --filter='@fairlead/console'.")
  return largest.path
}

async function untilServed(url: string, host: string): Promise<void> {
  const client = openClient(url, host)
  const deadline = performance.now() + 60_000
  for (;;) {
    const { failure } = await call(client, 0)
    if (failure === undefined) break
    if (performance.now() > deadline) throw new Error(`The bystander is not served: ${failure}`)
    await pause(50)
  }
  client.close()
}

/** Returns the metrics of a gateway as text, or an empty text when it does not respond. */
export async function metricsOf({ url }: AttackedGateway): Promise<string> {
  try {
    return await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) })).text()
  } catch {
    return ''
  }
}
