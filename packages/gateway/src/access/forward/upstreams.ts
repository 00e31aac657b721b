import type { NodeGrant } from '../../credentials/node-grant.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'
import { AnswerMemory } from './answer-memory.ts'
import { createUpstream, type Upstream } from './upstream.ts'

/** The connections to all nodes, opened when first needed. */
export interface Upstreams {
  /** @throws {@link RpcFailure} with status 503 when the node has no usable upstream for the protocol */
  of(grant: NodeGrant, protocol: 'evm'): Upstream
  /** Asks every embedded chain for its id; rejects when one does not answer. */
  embeddedAnswer(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Makes the set of upstream connections.
 *
 * @param timeoutMs - longest wait for an answer
 * @param embedded - address of the embedded chain for nodes whose upstream is `devnet`
 * @param maxHeldBytes - for all answers together that are held whole
 */
export function createUpstreams(
  timeoutMs: number,
  embedded: Readonly<Record<string, string>>,
  maxHeldBytes: number,
): Upstreams {
  const memory = new AnswerMemory(maxHeldBytes)
  const open = new Map<string, Upstream>()
  const at = (address: string): Upstream => {
    const known = open.get(address)
    if (known) return known
    const upstream = opened(address, timeoutMs, memory)
    open.set(address, upstream)
    return upstream
  }
  return {
    of: (grant, protocol) => {
      const configured = grant.upstreams[protocol]
      const address = configured === 'devnet' ? embedded[protocol] : configured
      if (address === undefined) throw missing(`This node has no upstream for ${protocol}.`)
      return at(address)
    },
    embeddedAnswer: async (signal) => {
      await Promise.all(Object.values(embedded).map((address) => at(address).call('eth_chainId', [], signal)))
    },
    close: async () => {
      await Promise.all([...open.values()].map((upstream) => upstream.close()))
    },
  }
}

function opened(address: string, timeoutMs: number, memory: AnswerMemory): Upstream {
  try {
    return createUpstream(address, timeoutMs, memory)
  } catch {
    // The error quotes the address, and with it the credentials inside.
    throw missing('The upstream address of this node is not an HTTP address.')
  }
}

function missing(message: string): RpcFailure {
  return new RpcFailure(rpcCodes.internalError, message, { status: 503 })
}
