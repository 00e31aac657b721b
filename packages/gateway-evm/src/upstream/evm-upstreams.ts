import type { Logger } from 'pino'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import type { CancellationSignal, Tenant } from '@fairlead/runtime'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { MemoryLedger, Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { ChainView } from '../chain/chain-view.ts'
import { NodeChain } from '../chain/node-chain.ts'
import { EvmPool } from './evm-pool.ts'
import {
  type NodePool,
  NodePools,
  type PooledUpstreamState,
} from '@fairlead/gateway-core/upstream/node-pools'
import type { IsStale } from '@fairlead/gateway-core/upstream/node-resources'
import type { UpstreamState } from '@fairlead/gateway-core/upstream/pool-member'
import { type Fingerprint, randomFingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'
import { createEvmUpstream, type UpstreamOptions } from './evm-upstream.ts'
import type { ConnectedUpstream, Upstream } from './types.ts'
import { responsesIn, upstreamCalls } from './upstream-calls.ts'
import { jwtOf } from './upstream-jwt.ts'

/** The upstreams of all nodes. Connections are opened on first use. */
export interface EvmUpstreams {
  /**
   * Returns the upstreams of a node, combined into one. It follows changes of the list: use it for subscriptions, and
   * {@link forCall} for calls.
   *
   * @throws {@link RpcError} with status 503 when the node has no usable upstream for the protocol
   */
  of(grant: Grant, protocol: 'evm'): Upstream
  /**
   * Returns the present upstreams of a node, combined into one, for a call or a batch. All its requests go to these
   * upstreams, also after the list of the node has changed.
   *
   * @throws {@link RpcError} as {@link of}
   */
  forCall(grant: Grant): Upstream
  /**
   * Returns the upstreams of a node separately, in their order, without the cordoned ones.
   *
   * @throws {@link RpcError} as {@link of}
   */
  eachOf(grant: Grant): readonly Upstream[]
  /**
   * Returns the observed chain of a node. Each call keeps polling for the chain head active for a minute.
   *
   * @throws {@link RpcError} as {@link of}
   */
  chainOf(grant: Grant): ChainView
  /** Reserves memory for the buffered responses of one request. Release it after they have been sent. */
  reserve(owner: Tenant): Reservation
  /** Returns the state of every upstream that was used. */
  states(): readonly PooledUpstreamState[]
  /** Returns the state of a node's upstreams, and polls them for their chain heads for the next minute. */
  statesOf(grant: Grant): readonly UpstreamState[]
  /** Checks that the embedded chain, if there is one, responds to `eth_chainId`. Rejects when it does not. */
  waitForEmbedded(signal: CancellationSignal): Promise<void>
  /** Changes whether hedges are sent to a second upstream. */
  change(settings: { readonly hedges: boolean }): void
  close(): Promise<void>
}

/** Options for the upstreams of a node. */
export interface PooledOptions {
  /** Interval at which a node in use is polled for its chain head, in milliseconds. The default is 2 seconds. */
  readonly pollMs?: number
  /** Whether a hedge is sent to a second upstream when the first one takes longer than usual. The default is true. */
  readonly hedges?: boolean
  readonly log?: Logger
  /** Computes the marks of filter ids and the ids of upstreams. Without it, both are valid only for this object. */
  readonly fingerprint?: Fingerprint
  /** Called when an upstream of a node does not have a method. */
  readonly onMethodMissing?: ((grant: Grant) => void) | undefined
  /** Connection rules. The default is the rules for upstreams that the operator has configured. */
  readonly rules?: UpstreamRules
  /** `CDN-Loop` entry of each request. None by default. */
  readonly loopEntry?: string | undefined
  readonly isStale?: IsStale | undefined
}

const pollTimeoutMs = 2_000
const firstRoundMs = 1_000
const idleMs = 60_000
const chainIdMs = 60_000

/**
 * Creates the set of upstream connections.
 *
 * @param timeoutMs - timeout for a response
 * @param embedded - URL of the embedded chain, for nodes whose upstream is `devnet`
 * @param memory - budget for all buffered responses
 */
export function createEvmUpstreams(
  timeoutMs: number,
  embedded: Readonly<Record<string, string>>,
  memory: MemoryLedger,
  {
    pollMs = 2_000,
    hedges = true,
    log,
    onMethodMissing,
    fingerprint = randomFingerprint(),
    rules = operatorUpstreams,
    loopEntry,
    isStale,
  }: PooledOptions = {},
): EvmUpstreams {
  const watch = { pollMs, timeoutMs: Math.min(timeoutMs, pollTimeoutMs), firstRoundMs, idleMs, chainIdMs }
  const options = { timeoutMs, hedges, watch, log, fingerprint }
  const pools = new NodePools<ConnectedUpstream, EvmPool>({
    field: 'evm',
    embedded: embedded['evm'],
    fingerprint,
    isStale,
    open: (address, record) => {
      const { certificateAuthorityFile, maxBatchedCalls } = record
      return opened(address, timeoutMs, memory, {
        certificateAuthorityFile,
        maxBatchedCalls,
        jwt: jwtOf(record),
        rules: rules.of(address),
        loopEntry,
      })
    },
    createPool: (members, _, former) => new EvmPool(members, options, former),
    noUpstream: (isListed) =>
      missing(
        isListed ? 'The upstream URLs of this node cannot be read.' : 'This node has no upstream for evm.',
      ),
  })
  const upstreams = new WeakMap<NodePool<EvmPool>, Upstream>()
  const upstreamsForCalls = new WeakMap<EvmPool, Upstream>()
  const responses = responsesIn(memory)
  const combined = (send: Upstream['send'], close: () => void): Upstream => ({
    send,
    ...upstreamCalls(send, responses),
    close: () => Promise.resolve(close()),
    ...(onMethodMissing && { onMethodMissing }),
  })
  const upstreamOf = (pool: NodePool<EvmPool>): Upstream => {
    const existing = upstreams.get(pool)
    if (existing) return existing
    const send: Upstream['send'] = (call, signal, completion) => pool.current.send(call, signal, completion)
    const upstream: Upstream = {
      ...combined(send, () => pool.close()),
      rangeLimitOf: (call) => pool.current.rangeLimitOf(call),
      recordRangeLimit: (method, blocks) => pool.current.recordRangeLimit(method, blocks),
      list: pool,
      onHead: (number) => pool.current.announce(number),
    }
    upstreams.set(pool, upstream)
    return upstream
  }
  const upstreamForCall = (nodePool: NodePool<EvmPool>): Upstream => {
    const { current: pool, text, version } = nodePool
    const existing = upstreamsForCalls.get(pool)
    if (existing) return existing
    const list = { text, version }
    const { send, rangeLimitOf, recordRangeLimit } = pool
    const node = upstreamOf(nodePool)
    const upstream = { ...combined(send, () => pool.close()), rangeLimitOf, recordRangeLimit, list, node }
    upstreamsForCalls.set(pool, upstream)
    return upstream
  }
  return {
    of: (grant) => upstreamOf(pools.of(grant)),
    forCall: (grant) => upstreamForCall(pools.of(grant)),
    eachOf: (grant) => pools.connectionsOf(grant),
    chainOf: (grant) => new NodeChain(pools.of(grant)),
    reserve: (owner) => responses.reserve(owner),
    states: () => pools.states(),
    statesOf: (grant) => pools.statesOf(grant),
    waitForEmbedded: async (signal) => {
      await pools.embedded()?.call('eth_chainId', [], signal)
    },
    change: (settings) => {
      options.hedges = settings.hedges
    },
    close: () => pools.close(),
  }
}

function opened(
  address: string,
  timeoutMs: number,
  memory: MemoryLedger,
  options: UpstreamOptions,
): ConnectedUpstream {
  try {
    return createEvmUpstream(address, timeoutMs, memory, options)
  } catch {
    // The error contains the URL, including its credentials.
    throw missing('The upstream URL of this node is not an HTTP URL.')
  }
}

function missing(message: string): RpcError {
  return new RpcError(rpcCodes.internalError, message, { status: 503 })
}
