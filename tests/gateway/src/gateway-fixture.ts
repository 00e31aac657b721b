import type { Registry } from 'prom-client'
import { parseConfiguration, startGateway } from '@fairlead/gateway'
import { ensureFirstStart, type FirstStart } from '@fairlead/platform-server/first-start/first-start'
import type { Store } from '@fairlead/platform-server/store/open-store'
import { anyDatabase } from '@fairlead/platform-server/testing/temporary-store'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { createLog } from '@fairlead/gateway/testing/log'
import { protocols } from '@fairlead/platform-server/testing/protocols'

/** A gateway with a fresh database on a free port. */
export interface GatewayFixture {
  readonly url: string
  readonly tlsUrl: string | undefined
  readonly store: Store
  readonly first: Extract<FirstStart, { created: true }>
  readonly registry: Registry
  /** The log output so far. */
  log(): string
  /** Applies the differences between the given environment and that of the start. */
  apply(environment: Readonly<Record<string, string>>): void
  stop(): Promise<void>
}

/** Starts the gateway as `serve` does. The options are those of the environment. */
export async function gatewayFixture(
  environment: Readonly<Record<string, string>>,
  upstream: string,
  embedded: Readonly<Record<string, string>> = {},
): Promise<GatewayFixture> {
  const database = await anyDatabase()
  const store = await database.open(environment['FAIRLEAD_SECRET_KEY'])
  const upstreams = {
    evm: upstream,
    ...(embedded['websocket'] && { websocket: 'devnet' }),
    ...(embedded['beacon'] && { beacon: 'devnet' }),
    ...(embedded['jetton'] && { jetton: 'devnet' }),
    ...(embedded['grpc'] && { grpc: 'devnet' }),
  }
  const first = await ensureFirstStart(store, { protocols, upstreams })
  if (!first.created) throw new Error('The database was not empty.')
  const lines = memory()
  const log = createLog('debug', lines.stream)
  const configured = (changed: Readonly<Record<string, string>> = {}) =>
    parseConfiguration({
      FAIRLEAD_PORT: '0',
      // Tests count the requests to the node.
      FAIRLEAD_PROBE_NODES: 'false',
      ...environment,
      ...changed,
    })
  let registry: Registry | undefined
  const publishMetrics = (published: Registry) => {
    registry = published
    return () => published.metrics()
  }
  const gateway = await startGateway(configured(), { store, log, embedded, publishMetrics })
  if (!registry) throw new Error('The gateway published no metrics.')
  return {
    url: gateway.url,
    tlsUrl: gateway.tlsUrl,
    store,
    first,
    registry,
    log: lines.text,
    apply: (changed) => gateway.apply(configured(changed)),
    stop: async () => {
      await gateway.stop()
      await database.remove()
    },
  }
}
