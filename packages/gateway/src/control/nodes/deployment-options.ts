import type { ConfiguredNode } from '../records/configured-node.ts'
import type { UpstreamTexts } from '../records/sealed-upstreams.ts'
import { type NodeChain, type NodeProtocol, nodeChains, partsOf } from './node-chains.ts'

/** What a node can be created from. */
export interface DeploymentOption {
  readonly id: string
  readonly chain: string
  /** Undefined where the creator says it. */
  readonly network?: string
  readonly protocols: readonly NodeProtocol[]
  /** Undefined where the creator gives them. */
  readonly upstreams?: UpstreamTexts
  readonly description: string
}

/**
 * Everything that a node can be created from: each protocol that the service was configured with, and each chain for
 * upstreams of the creator's own.
 */
export function deploymentOptions(configured: ConfiguredNode | undefined): readonly DeploymentOption[] {
  return [...configuredOptions(configured), ...ownOptions()]
}

/** The id of the option for upstreams of one's own of a chain. */
export function ownOptionOf(chain: NodeChain): string {
  return `own-${chain}`
}

function configuredOptions(configured: ConfiguredNode | undefined): readonly DeploymentOption[] {
  if (configured === undefined) return []
  const { chain, network, upstreams } = configured
  return nodeProtocolsIn(upstreams).map((protocol) => ({
    id: protocol,
    chain: chainFor(protocol, chain),
    network,
    protocols: [protocol],
    upstreams: partsOf(protocol, upstreams),
    description: `The ${protocol} upstreams that this service was configured with.`,
  }))
}

function nodeProtocolsIn(upstreams: UpstreamTexts): readonly NodeProtocol[] {
  const all: readonly NodeProtocol[] = ['evm', 'beacon', 'jetton', 'grpc']
  return all.filter((protocol) => Object.hasOwn(upstreams, protocol))
}

// The node of the configuration may have several protocols, and one chain.
function chainFor(protocol: NodeProtocol, chainOfNode: string): string {
  const known = Object.entries(nodeChains).find(([chain]) => chain === chainOfNode)?.[1]
  if (known?.[0] === protocol) return chainOfNode
  return { evm: 'evm', beacon: 'beacon', jetton: 'jetton', grpc: 'solana' }[protocol]
}

function ownOptions(): readonly DeploymentOption[] {
  return chainNames().map((chain) => ({
    id: ownOptionOf(chain),
    chain,
    protocols: nodeChains[chain],
    description: `Upstreams of your own for ${chain === 'evm' ? 'any EVM chain' : chain}.`,
  }))
}

function chainNames(): readonly NodeChain[] {
  return Object.keys(nodeChains).filter((chain): chain is NodeChain => Object.hasOwn(nodeChains, chain))
}
