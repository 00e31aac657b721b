import type { Logger } from 'pino'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { parseUpstreams, type UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { MemoryBudget } from '@fairlead/gateway-core/memory/memory-budget'
import type { ChainView } from '../chain/chain-view.ts'
import { EvmPool } from './evm-pool.ts'
import {
  type NodePool,
  NodePools,
  type PooledUpstreamState,
} from '@fairlead/gateway-core/upstream/node-pools'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import {
  type Fingerprint,
  randomFingerprint,
  UpstreamRegistry,
} from '@fairlead/gateway-core/upstream/upstream-registry'
import { createEvmUpstream, type UpstreamOptions } from './evm-upstream.ts'
import type { ConnectedUpstream, Upstream } from './types.ts'
import { upstreamCalls } from './upstream-calls.ts'
import { jwtOf } from './upstream-jwt.ts'

/** The connections to all nodes, opened when first needed. */
export interface EvmUpstreams {
  /**
   * The upstreams of a node, called as one.
   *
   * @throws {@link RpcError} with status 503 when the node has no usable upstream for the protocol
   */
  of(grant: Grant, protocol: 'evm'): Upstream
  /**
   * The upstreams of a node, each by itself, in their order; those that are withdrawn are left out.
   *
   * @throws {@link RpcError} as {@link of}
   */
  eachOf(grant: Grant): readonly Upstream[]
  /**
   * What is known of the chain behind a node. To ask for it has the node asked for its head for a minute.
   *
   * @throws {@link RpcError} as {@link of}
   */
  chainOf(grant: Grant): ChainView
  /** What is known of every upstream that was used. */
  states(): readonly PooledUpstreamState[]
  /** What is known of the upstreams of a node, which are asked for their heads for a minute from now on. */
  statesOf(grant: Grant): readonly UpstreamState[]
  /** Asks every embedded chain for its id; rejects when one does not answer. */
  embeddedAnswer(signal: CancellationSignal): Promise<void>
  /** Takes over whether a second upstream is asked when the first one takes long. */
  change(settings: { readonly hedges: boolean }): void
  close(): Promise<void>
}

/** How the upstreams of a node are called together. */
export interface PooledOptions {
  /** How often a node that is used is asked for its head; every 2 seconds when left out. */
  readonly pollMs?: number
  /** Whether a second upstream is asked when the first one takes longer than it mostly does; so when left out. */
  readonly hedges?: boolean
  readonly log?: Logger
  /** Marks the ids of filters, and makes those of upstreams; without it both are known to this object alone. */
  readonly fingerprint?: Fingerprint
  /** Is told when an upstream of a node does not have a method. */
  readonly onRefused?: ((grant: Grant) => void) | undefined
  /** Rules for connections; those for what the operator has configured when left out. */
  readonly rules?: UpstreamRules
  /** Entry of `CDN-Loop` that each request carries; none when left out. */
  readonly loopEntry?: string | undefined
}

const pollTimeoutMs = 2_000
const firstRoundMs = 1_000
const idleMs = 60_000
const chainIdMs = 60_000

interface OpenPool extends NodePool {
  readonly pool: EvmPool
  readonly upstream: Upstream
}

/**
 * Makes the set of upstream connections.
 *
 * @param timeoutMs - longest wait for an answer
 * @param embedded - address of the embedded chain for nodes whose upstream is `devnet`
 * @param memory - for all responses that are held whole
 */
export function createEvmUpstreams(
  timeoutMs: number,
  embedded: Readonly<Record<string, string>>,
  memory: MemoryBudget,
  {
    pollMs = 2_000,
    hedges = true,
    log,
    onRefused,
    fingerprint = randomFingerprint(),
    rules = operatorUpstreams,
    loopEntry,
  }: PooledOptions = {},
): EvmUpstreams {
  const watch = { pollMs, timeoutMs: Math.min(timeoutMs, pollTimeoutMs), firstRoundMs, idleMs, chainIdMs }
  const options = { timeoutMs, hedges, watch, log, fingerprint }
  const registry = new UpstreamRegistry<ConnectedUpstream>({
    field: 'evm',
    fingerprint,
    open: (record) => {
      const { certificateAuthorityFile, mostBatchedCalls } = record
      const address = record.address === 'devnet' ? embedded['evm'] : record.address
      if (address === undefined) throw missing('This node has no upstream for evm.')
      return opened(address, timeoutMs, memory, {
        certificateAuthorityFile,
        mostBatchedCalls,
        jwt: jwtOf(record),
        rules: rules.of(address),
        loopEntry,
      })
    },
  })
  const pools = new NodePools<OpenPool>()
  const poolOf = ({ upstreams: { evm: text }, nodeId }: Grant): OpenPool => {
    if (text === undefined) throw missing('This node has no upstream for evm.')
    return pools.of(nodeId, text, () => {
      const upstreams = recordsOf(text).map((record, position) => ({
        record,
        position,
        upstream: registry.of(record),
      }))
      const pool = new EvmPool(upstreams, options)
      const { send } = pool
      const upstream = {
        send,
        ...upstreamCalls(send, memory),
        close: () => Promise.resolve(pool.close()),
        ...(onRefused && { onRefused }),
      }
      return { pool, upstream, states: () => pool.states(), close: () => pool.close() }
    })
  }
  return {
    of: (grant) => poolOf(grant).upstream,
    eachOf: ({ upstreams: { evm: text = '' } }) =>
      recordsOf(text)
        .filter(({ isCordoned }) => !isCordoned)
        .map((record) => registry.of(record).connection),
    chainOf: (grant) => poolOf(grant).pool.chain,
    states: () => pools.states(),
    statesOf: (grant) => {
      try {
        const { pool } = poolOf(grant)
        pool.watch()
        return pool.states()
      } catch {
        // It has none, or the API reported the fault when the record was written.
        return []
      }
    },
    embeddedAnswer: async (signal) => {
      const records = Object.keys(embedded).flatMap(() => parseUpstreams('devnet'))
      await Promise.all(
        records.map((record) => registry.of(record).connection.call('eth_chainId', [], signal)),
      )
    },
    change: (settings) => {
      options.hedges = settings.hedges
    },
    close: () => {
      pools.close()
      return registry.close()
    },
  }
}

function recordsOf(text: string): readonly UpstreamRecord[] {
  try {
    const records = parseUpstreams(text)
    if (records.length > 0) return records
  } catch {
    // The text holds credentials.
  }
  throw missing('The upstream addresses of this node cannot be read.')
}

function opened(
  address: string,
  timeoutMs: number,
  memory: MemoryBudget,
  options: UpstreamOptions,
): ConnectedUpstream {
  try {
    return createEvmUpstream(address, timeoutMs, memory, options)
  } catch {
    // The error quotes the address, and with it the credentials inside.
    throw missing('The upstream address of this node is not an HTTP address.')
  }
}

function missing(message: string): RpcError {
  return new RpcError(rpcCodes.internalError, message, { status: 503 })
}
