import type { HealthRule } from '@fairlead/gateway-core/upstream/check-health'
import { reportedHeads } from '@fairlead/gateway-core/upstream/pool-member'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { depthsOf } from '../chain/chain-depths.ts'
import { type Head, readHead } from '../chain/head.ts'
import type { ConnectedUpstream, PooledUpstream } from './types.ts'

/** The result of a check. */
export interface EvmHealth {
  head: Head
  /** Whether the upstream has the block that it reports as its chain head. */
  isTrusted: boolean
}

type EvmHealthRule = HealthRule<ConnectedUpstream, Partial<EvmHealth>>

const finalizedEvery = 5

/**
 * The upstream reports a chain id, which is read again after a while.
 *
 * @param maxAgeMs - age at which it is read again
 * @param onChecked - called when it is known, or the upstream has sent another response
 */
export function reportsChain(
  maxAgeMs: number,
  onChecked: (member: PooledUpstream, hasReported: boolean) => void,
): EvmHealthRule {
  return async (member, _, signal) => {
    const { upstream } = member
    const { chain } = upstream
    const now = performance.now()
    const isKnown = chain && upstream.breaker.state === 'closed' && now - chain.at < maxAgeMs
    const id = isKnown ? chain.id : await upstream.connection.call('eth_chainId', [], signal())
    const hasReported = typeof id === 'string'
    if (hasReported && !isKnown) upstream.chain = { id, at: now }
    onChecked(member, hasReported)
  }
}

/** The upstream reports its latest block. */
export const reportsHead: EvmHealthRule = async ({ upstream: { connection } }, health, signal) => {
  health.head = readHead(await connection.call('eth_getBlockByNumber', ['latest', false], signal()))
}

/**
 * Reads the final block of an upstream with every fifth check. Where the upstream does not support the tag `finalized`,
 * it is derived from the depth at which blocks of the chain are final.
 *
 * @param isNeeded - whether the final block is used at all
 */
export function reportsFinalized(isNeeded: () => boolean): EvmHealthRule {
  /** Number of checks until each upstream is queried. */
  const dueIn = new Map<PooledUpstream, number>()
  const tagged = new Map<PooledUpstream, number | undefined>()
  return async (member, { head }, signal) => {
    if (!isNeeded() || !head) return
    const { upstream } = member
    const due = (dueIn.get(member) ?? 0) - 1
    dueIn.set(member, due < 0 ? finalizedEvery : due)
    if (due < 0) tagged.set(member, await taggedFinal(upstream.connection, signal()))
    const { finality } = depthsOf(upstream.chain?.id)
    const byDepth = head.number > finality ? head.number - finality : undefined
    upstream.finalized = tagged.get(member) ?? byDepth
  }
}

/** Returns the number of the block with the tag `finalized`. Undefined where the upstream does not support the tag. */
async function taggedFinal(connection: ConnectedUpstream, signal: AbortSignal): Promise<number | undefined> {
  try {
    const block = await connection.call('eth_getBlockByNumber', ['finalized', false], signal)
    return block === null ? undefined : readHead(block).number
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    return undefined
  }
}

/**
 * A chain head far above those of the other upstreams is trusted only when the upstream has that block, and not only its
 * number.
 */
export function hasReportedHead(members: readonly PooledUpstream[]): EvmHealthRule {
  return async (member, health, signal) => {
    const { head } = health
    if (!head) return
    const others = reportedHeads(members).filter((other) => other.member !== member)
    health.isTrusted =
      others.length === 0 || others.some((other) => head.number <= other.head + member.toleratedLag)
    if (health.isTrusted) return
    const number = `0x${head.number.toString(16)}`
    const block = await member.upstream.connection.call('eth_getBlockByNumber', [number, false], signal())
    health.isTrusted = block !== null && readHead(block).hash === head.hash
  }
}
