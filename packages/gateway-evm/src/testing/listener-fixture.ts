import { pino } from 'pino'
import { serveProtocol } from '@fairlead/gateway-core/testing/serve'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { evm } from '../description.ts'
import { createWebSocketMetrics } from '../websocket/metrics.ts'
import { onTestFinished } from 'vitest'
import { TickBudget } from '@fairlead/gateway-core/admission/tick-budget'
import { MemoryLedger, type MemoryStates } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { sha256Hex } from '@fairlead/gateway-core/credentials/secret'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import { createDirectory } from '@fairlead/gateway-core/authentication/directory'
import { createEvmUpstreams } from '../upstream/evm-upstreams.ts'
import { createJsonRpcHandler } from '../http/json-rpc-http.ts'
import { createWebSocketListener } from '../websocket/json-rpc-websocket.ts'
import type { WebSocketDependencies } from '../websocket/dependencies.ts'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import type { UsageCounts } from '@fairlead/gateway-core/usage/usage-counts'
import { createSubscriptionMultiplexers } from '../subscriptions/multiplexers.ts'
import { grantWith, secondNode } from '@fairlead/gateway-core/testing/limited-grant'
import { memory } from '@fairlead/gateway-core/testing/memory'
import {
  type AuthenticatorChoices,
  testAuthenticator,
} from '@fairlead/gateway-core/testing/test-authenticator'

/** Token for the node of {@link listenTo}. */
export const token = 'fixture-token'

/** A gateway that serves only JSON-RPC, with one upstream. */
export interface ListenerFixture {
  readonly url: string
  /** WebSocket URL, with the token. */
  readonly wsUrl: string
  readonly port: number
  /** Applies a change to the credential. */
  change(change: Partial<Grant>): void
  log(): string
  /** What clients hold. */
  memory(): MemoryStates
  metrics(): Promise<string>
  /** State of the upstreams that were used. */
  states(): readonly PooledUpstreamState[]
  /** Number of upstreams to which connections may be open. */
  openedUpstreams(): number
  /** Number of open client connections. */
  connections(): Promise<number>
  stop(): Promise<void>
}

/** Options of the fixture. */
export interface ListenerOptions extends Partial<
  Omit<
    WebSocketDependencies,
    'directory' | 'authenticator' | 'admission' | 'upstreams' | 'meter' | 'log' | 'multiplexers' | 'metrics'
  >
> {
  /** WebSocket URL of the upstream. Without it, the gateway polls for new heads. */
  readonly websocket?: string | undefined
  readonly pollMs?: number
  /** Maximum total size of buffered responses, in bytes. */
  readonly maxBufferedBytes?: number
  /** Methods that the node was found not to offer. */
  readonly withheldMethods?: readonly string[]
  readonly grant?: Partial<Grant>
  /** Token of a second node with the same upstreams, which no change affects. */
  readonly secondToken?: string | undefined
  readonly passing?: AuthenticatorChoices
  readonly usage?: UsageCounts
}

/** Starts a JSON-RPC gateway without a database. Its directory contains one token. */
export async function listenTo(upstream: string, overrides: ListenerOptions = {}): Promise<ListenerFixture> {
  const {
    websocket,
    withheldMethods = [],
    pollMs = 100,
    timeoutMs = 20_000,
    maxBufferedBytes = 2 ** 29,
    grant: change = {},
    secondToken,
    passing,
    usage,
    ...options
  } = overrides
  const directory = createDirectory()
  const grant = grantWith({
    withheldMethods,
    upstreams: { evm: upstream, ...(websocket !== undefined && { websocket }) },
    ...change,
  })
  const second = secondNode(secondToken, grant)
  const replace = (newer: Partial<Grant> = {}) =>
    directory.replace([{ sha256: sha256Hex(token), grant: { ...grant, ...newer } }, ...second])
  replace()
  const ledger = new MemoryLedger(maxBufferedBytes)
  const upstreams = createEvmUpstreams(timeoutMs, {}, ledger)
  const lines = memory()
  const log = pino({ level: 'debug' }, lines.stream)
  const multiplexers = createSubscriptionMultiplexers({
    upstreams,
    embeddedSocket: undefined,
    pollMs,
    timeoutMs,
    log,
  })
  const metrics = testMetrics()
  const { authenticator, admission } = testAuthenticator(directory, passing)
  const dependencies = {
    directory,
    authenticator,
    admission,
    upstreams,
    budget: new TickBudget(),
    memory: ledger,
    meter: createMeter(metrics.requests, usage),
    log,
    maxBodyBytes: 1_048_576,
    maxBatchItems: 1_000,
    maxLogRange: 0,
    corsOrigin: '*',
    multiplexers,
    metrics: createWebSocketMetrics(metrics.registry, () => multiplexers.upstreamSubscriptions()),
    maxCalls: 64,
    maxSubscriptions: 1_024,
    maxSocketsPerCredential: 100_000,
    maxSubscriptionsPerCredential: 100_000,
    maxUnfilteredLogsPerCredential: 100_000,
    maxBufferBytes: 16_777_216,
    pingMs: 30_000,
    ...options,
    timeoutMs,
  }
  const webSockets = createWebSocketListener(dependencies)
  const handle = createJsonRpcHandler(dependencies)
  const { upgrade, upgradeRequired } = webSockets
  const server = await serveProtocol({ description: evm, handle, upgrade, upgradeRequired })
  return {
    ...server,
    wsUrl: `${server.url.replace('http', 'ws')}/ws/${token}`,
    change: replace,
    log: lines.text,
    memory: () => ledger.states(),
    states: () => upstreams.states(),
    openedUpstreams: () => upstreams.states().length,
    metrics: metrics.text,
    stop: async () => {
      await webSockets.stop(10_000)
      await server.stop()
      multiplexers.close()
      await admission.close()
      await upstreams.close()
    },
  }
}

/** As {@link listenTo}, until the running test ends. */
export async function inFrontOf(...args: Parameters<typeof listenTo>): Promise<ListenerFixture> {
  const fixture = await listenTo(...args)
  onTestFinished(fixture.stop)
  return fixture
}
