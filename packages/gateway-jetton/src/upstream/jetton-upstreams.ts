import type { IsStale } from '@fairlead/gateway-core/upstream/node-resources'
import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import { type CancellationSignal, createLruCache, type Tenant } from '@fairlead/runtime'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type {
  BufferedResponse,
  MediaRules,
  RestCall,
  RestResponse,
  RestUpstream,
  StreamedResponse,
} from '@fairlead/gateway-core/rest/rest-call'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import type { RestPool } from '@fairlead/gateway-core/rest/rest-pool'
import { type HealthTimes, healthTimes } from '@fairlead/gateway-core/upstream/steady-pool'
import { createRestPools } from '@fairlead/gateway-core/rest/rest-pools'
import { unreachable } from '@fairlead/gateway-core/rest/rest-upstream'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import type { Logger } from 'pino'
import type { JettonFamily } from '../operations/operations.ts'
import { healthChecks } from './health.ts'
import type { NodeUpstreams, UpstreamResponse, UpstreamRequest } from './types.ts'
import { JettonError } from '../jetton-error.ts'
import { parseJson } from '@fairlead/gateway-core/json'

/** Options of {@link createJettonUpstreams}. */
export interface JettonUpstreamOptions {
  /** Opens the connections to an upstream; throws when the URL is invalid. */
  readonly open: (address: string) => RestUpstream
  /** URL of the embedded chain, for nodes whose upstream is `devnet`. */
  readonly embedded: string | undefined
  /** Maximum wait for a response, in milliseconds. */
  readonly timeoutMs: number
  readonly times?: HealthTimes
  /** Creates the ids of upstreams. */
  readonly fingerprint?: Fingerprint | undefined
  readonly isStale?: IsStale | undefined
  readonly log?: Logger | undefined
  /** Memory budget for the responses that adapters buffer; unlimited when omitted. */
  readonly memory?: ResponseMemory | undefined
}

type ResponseMemory = Pick<MemoryLedger, 'reserve'>

/** The jetton upstreams of all nodes, connected on first use. */
export interface JettonUpstreams {
  /** @throws RestError with status 503 when the node has no usable upstream for this protocol */
  of(grant: Grant): PooledNodeUpstreams
  /** State of every upstream that was used. */
  states(): readonly PooledUpstreamState[]
  /** States of the upstreams of a node, in their order. Their health is checked for one minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[]
  /** Queries the embedded chain, if there is one, for its latest block; rejects when it does not respond. */
  checkEmbedded(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}

/** The media types of the API. */
export const jettonMedia: MediaRules = { api: 'jetton chain API', types: ['application/json'] }

// The upstreams of nodes change, and there is no notification of removed ones.
const maxCachedNodes = 20_000

// Two chain heads may differ while a block propagates.
const toleratedLag = 3
// Of the masterchain, until it is measured.
const blockMs = 400

/** Creates the jetton upstreams of all nodes. */
export function createJettonUpstreams(options: JettonUpstreamOptions): JettonUpstreams {
  const { memory, times = healthTimes, ...rest } = options
  const poolsOf = (family: JettonFamily, field: string) =>
    createRestPools({
      ...rest,
      protocol: 'jetton',
      field,
      ...healthChecks(family),
      toleratedLag,
      blockMs,
      times,
    })
  const v2 = poolsOf('v2', 'jetton')
  const v3 = poolsOf('v3', 'jetton-v3')
  // Adapters cache data by this object.
  const upstreamsByNode = createLruCache<NodeEntry>({ maxEntries: maxCachedNodes })
  return {
    of: (grant) => {
      const { jetton, 'jetton-v3': index = jetton } = grant.upstreams
      const key = JSON.stringify([grant.nodeId, jetton, index])
      const existing = upstreamsByNode.get(key)
      if (existing) {
        existing.grant = grant
        return existing.upstreams
      }
      const budget = memory && { memory, owner: grant }
      const pools = { v2: () => v2.of(entry.grant).current, v3: () => v3.of(entry.grant, index).current }
      const entry: NodeEntry = { grant, upstreams: new PooledNodeUpstreams(pools, budget) }
      upstreamsByNode.set(key, entry)
      return entry.upstreams
    },
    states: () => [...v2.states(), ...v3.states()],
    statesOf: (grant) => [...v2.statesOf(grant), ...v3.statesOf(grant)],
    checkEmbedded: async (signal) => {
      const upstream = v2.embedded()
      if (!upstream) return
      const upstreams = new PooledNodeUpstreams({ v2: () => upstream, v3: () => upstream })
      const { status } = await upstreams.request({
        family: 'v2',
        method: 'GET',
        path: '/getMasterchainInfo',
        tenant: undefined,
        signal,
      })
      if (status !== 200) throw new Error('The embedded chain does not respond.')
    },
    close: async () => {
      await Promise.all([v2.close(), v3.close()])
    },
  }
}

interface NodeEntry {
  /** The grant of the latest call. */
  grant: Grant
  readonly upstreams: PooledNodeUpstreams
}

// An adapter reads at most one page of an index.
const maxBufferedBytes = 16_777_216

/** The memory budget for buffered responses, and the owner of the reservations. */
interface ResponseBudget {
  readonly memory: ResponseMemory
  readonly owner: Tenant
}

type FamilyPools = Readonly<Record<JettonFamily, () => Pick<RestPool, 'request'>>>

/** The upstreams of one node, and those of the index of its chain. */
export class PooledNodeUpstreams implements NodeUpstreams {
  readonly #pools: FamilyPools
  readonly #budget: ResponseBudget | undefined

  constructor(pools: FamilyPools, budget?: ResponseBudget) {
    this.#pools = pools
    this.#budget = budget
  }

  /**
   * As {@link RestPool.request}; the target begins with `/api`.
   *
   * @param resending - when the call may also be sent to another upstream
   */
  async forward(family: JettonFamily, resending: Idempotency, call: RestCall): Promise<RestResponse> {
    return this.#pools[family]().request({ ...call, media: jettonMedia }, resending)
  }

  async request({
    family,
    method,
    path,
    query,
    body,
    tenant,
    signal,
  }: UpstreamRequest): Promise<UpstreamResponse> {
    // Adapters only send reads.
    const response = await this.forward(family, 'always', {
      method,
      target: `/api/${family}${path}${queryText(query)}`,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      tenant,
      signal,
    })
    const content =
      'bytes' in response
        ? parseJson(Buffer.from(response.bytes).toString('utf8'))
        : await bufferJson(response, signal, this.#budget)
    if (response.status === 429) throw tooManyRequests(response, content)
    return { status: response.status, body: content }
  }
}

// Adapters cannot handle this status, and the client must receive `retry-after`.
function tooManyRequests({ headers }: Pick<BufferedResponse, 'headers'>, content: unknown): JettonError {
  const { error } = content as { readonly error: string }
  const { 'retry-after': retryAfter } = headers
  return new JettonError(429, error, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}

function queryText(query: UpstreamRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item) => [name, String(item)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

async function bufferJson(
  { body }: StreamedResponse,
  signal: CancellationSignal,
  budget: ResponseBudget | undefined,
): Promise<unknown> {
  const reservation = budget?.memory.reserve(budget.owner, 'response')
  let length = 0
  try {
    const bytes = await collectBody(body, (added) => {
      length += added
      if (length > maxBufferedBytes)
        throw new RestError(502, 'The response of the upstream is too large to buffer.')
      if (reservation?.tryTake(added)) {
        throw new RestError(
          503,
          'The responses exceed the memory limit of the gateway. Request less data or retry.',
        )
      }
    })
    return parseJson(bytes.toString('utf8'))
  } catch (error) {
    throw error instanceof RestError ? error : unreachable(error, signal)
  } finally {
    reservation?.release()
  }
}
