import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import { pino } from 'pino'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { jetton } from '../description.ts'
import { createDirectory } from '@fairlead/gateway-core/authentication/directory'
import { createJettonUpstreams } from '../upstream/jetton-upstreams.ts'
import { createJettonHandler, type JettonDependencies } from '../http/jetton-http.ts'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { jettonFormat } from '../http/jetton-format.ts'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import { memory } from '@fairlead/gateway-core/testing/memory'
import {
  type AuthenticatorChoices,
  testAuthenticator,
} from '@fairlead/gateway-core/testing/test-authenticator'
import { serveProtocol } from '@fairlead/gateway-core/testing/serve'

/** Token of the node of {@link listenToJetton}. */
export const jettonToken = 'fixture-token-of-jetton'

/** User name and password of that node. */
export const jettonBasic = 'user-fixture:pass-fixture'

/** The jetton chain API of the gateway, with one node. */
export interface JettonFixture {
  readonly url: string
  readonly port: number
  /** Sends a request with the token. The path begins with `/api`. */
  call(path: string, init?: RequestInit): Promise<Response>
  /** Sends a body to `/api/v2/jsonRPC`: a string unchanged, anything else as JSON. */
  rpc(body: unknown): Promise<Response>
  log(): string
  metrics(): Promise<string>
  /** Counts of the meter: operation or method, status class and count. */
  counted(): Promise<string[]>
  stop(): Promise<void>
}

/** Options of {@link listenToJetton}. */
export interface JettonFixtureOptions extends Partial<
  Pick<JettonDependencies, 'memory' | 'timeoutMs' | 'corsOrigin' | 'maxBodyBytes'>
> {
  readonly protocols?: readonly string[]
  /** Upstream of family v3. */
  readonly index?: string
  readonly grant?: Partial<Grant>
  readonly passing?: AuthenticatorChoices
}

/** Starts the jetton chain API of the gateway without a database. */
export async function listenToJetton(
  upstream: string,
  { protocols = ['jetton'], index, grant: change, passing, ...options }: JettonFixtureOptions = {},
): Promise<JettonFixture> {
  const directory = createDirectory()
  const grant: Omit<Grant, 'kind'> = {
    credentialId: 'credential',
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'jetton',
    network: 'devnet',
    protocols,
    upstreams: { jetton: upstream, ...(index !== undefined && { 'jetton-v3': index }) },
    ...change,
  }
  directory.replace([
    { sha256: sha256Hex(jettonToken), grant: { ...grant, kind: 'token' } },
    { sha256: sha256Hex(jettonBasic), grant: { ...grant, kind: 'basic' } },
  ])
  const lines = memory()
  const timeoutMs = options.timeoutMs ?? 20_000
  const jettonUpstreams = createJettonUpstreams({
    open: (address) => createRestUpstream(address, timeoutMs, jettonFormat),
    embedded: undefined,
    timeoutMs,
    memory: options.memory,
  })
  const metrics = testMetrics()
  const { authenticator, admission } = testAuthenticator(directory, passing)
  const handle = createJettonHandler({
    directory,
    authenticator,
    admission,
    jettonUpstreams,
    meter: createMeter(metrics.requests),
    log: pino({ level: 'debug' }, lines.stream),
    corsOrigin: '*',
    maxBodyBytes: 1_048_576,
    ...options,
    timeoutMs,
  })
  const server = await serveProtocol({ description: jetton, handle })
  const call = (path: string, init?: RequestInit) => fetch(`${server.url}/${jettonToken}${path}`, init)
  return {
    url: server.url,
    port: server.port,
    call,
    rpc: (body) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return call('/api/v2/jsonRPC', { method: 'POST', body: text })
    },
    log: lines.text,
    metrics: metrics.text,
    counted: async () => {
      const line = /^fairlead_node_requests_total\{protocol="jetton",method="(.*)",status="(.*)"\} (.*)$/gm
      const text = await metrics.text()
      return [...text.matchAll(line)].map(([, ...parts]) => parts.join(' '))
    },
    stop: async () => {
      await server.stop()
      await admission.close()
      await jettonUpstreams.close()
    },
  }
}
