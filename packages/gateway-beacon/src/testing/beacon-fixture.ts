import { onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { pino } from 'pino'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { createEventMetrics } from '../events/metrics.ts'
import { createDirectory } from '@fairlead/gateway-core/authentication/directory'
import { createBeaconUpstreams } from '../upstream/beacon-upstreams.ts'
import { createEventMultiplexers } from '../events/multiplexers.ts'
import { type BeaconDependencies, createBeaconHandler } from '../http/beacon-http.ts'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { beacon } from '../description.ts'
import { beaconFormat } from '../http/beacon-format.ts'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { memory } from '@fairlead/gateway-core/testing/memory'
import {
  type AuthenticatorChoices,
  testAuthenticator,
} from '@fairlead/gateway-core/testing/test-authenticator'
import { serveProtocol } from '@fairlead/gateway-core/testing/serve'

/** Token of the node of {@link beaconInFrontOf}. */
export const beaconToken = 'fixture-token-of-beacon'

/** User name and password of that node. */
export const beaconBasic = 'user-fixture:pass-fixture'

/** The beacon node API of the gateway, with one node. */
export interface BeaconFixture {
  readonly url: string
  readonly port: number
  /** Sends a request with the token. The path begins with `/eth`. */
  call(path: string, init?: RequestInit): Promise<Response>
  log(): string
  metrics(): Promise<string>
  /** Counts of the meter: operation, status class and count, in alphabetical order. */
  counted(): Promise<string[]>
}

/** Options of {@link beaconInFrontOf}. */
export interface BeaconFixtureOptions extends Partial<
  Pick<BeaconDependencies, 'memory' | 'timeoutMs' | 'corsOrigin' | 'maxBeaconBodyBytes'>
> {
  readonly protocols?: readonly string[]
  readonly beaconDebug?: boolean
  readonly nodeDomain?: string
  readonly grant?: Partial<Grant>
  readonly passing?: AuthenticatorChoices
}

/**
 * Starts the beacon node API of the gateway without a database until the running test ends.
 *
 * @param upstream - URLs of the upstreams, separated by spaces
 */
export async function beaconInFrontOf(
  upstream: string,
  {
    protocols = ['beacon'],
    beaconDebug,
    nodeDomain,
    grant: change,
    passing,
    ...options
  }: BeaconFixtureOptions = {},
): Promise<BeaconFixture> {
  const directory = createDirectory()
  const grant: Omit<Grant, 'kind'> = {
    credentialId: 'credential',
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'beacon',
    network: 'devnet',
    protocols,
    upstreams: { beacon: upstream },
    settings: { beaconDebug },
    ...change,
  }
  directory.replace([
    { sha256: sha256Hex(beaconToken), grant: { ...grant, kind: 'token' } },
    { sha256: sha256Hex(beaconBasic), grant: { ...grant, kind: 'basic' } },
  ])
  const lines = memory()
  const log = pino({ level: 'debug' }, lines.stream)
  const timeoutMs = options.timeoutMs ?? 20_000
  const beaconUpstreams = createBeaconUpstreams({
    open: (address) => createRestUpstream(address, timeoutMs, beaconFormat),
    embedded: undefined,
    timeoutMs,
  })
  const metrics = testMetrics()
  const { authenticator, admission } = testAuthenticator(directory, { nodeDomain, ...passing })
  const eventMultiplexers = createEventMultiplexers({
    upstreams: beaconUpstreams,
    directory,
    admission,
    maxBufferBytes: 16_777_216,
    metrics: createEventMetrics(metrics.registry, () => eventMultiplexers.upstreamStreams()),
  })
  const handle = createBeaconHandler({
    directory,
    authenticator,
    admission,
    beaconUpstreams,
    eventMultiplexers,
    meter: createMeter(metrics.requests),
    log,
    corsOrigin: '*',
    maxBeaconBodyBytes: 1_048_576,
    ...options,
    timeoutMs,
  })
  const server = await serveProtocol({ description: beacon, handle })
  onTestFinished(async () => {
    eventMultiplexers.close()
    await server.stop()
    await admission.close()
    await beaconUpstreams.close()
  })
  return {
    url: server.url,
    port: server.port,
    call: (path, init) => fetch(`${server.url}/beacon/${beaconToken}${path}`, init),
    log: lines.text,
    metrics: metrics.text,
    counted: async () => {
      const line = /^fairlead_node_requests_total\{protocol="beacon",method="(.*)",status="(.*)"\} (.*)$/gm
      const text = await metrics.text()
      return [...text.matchAll(line)].map(([, ...parts]) => parts.join(' ')).toSorted()
    },
  }
}
