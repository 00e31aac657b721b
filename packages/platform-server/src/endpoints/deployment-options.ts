import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { ConfiguredNode } from '../records/configured-node.ts'
import type { UpstreamTexts } from '../records/encrypted-upstreams.ts'
import { type NodeProtocol, nodeChains, partsOf } from './chains.ts'

/** An option that a node can be created from. */
export interface DeploymentOption {
  readonly id: string
  readonly chain: string
  /** Undefined where the creator chooses the network. */
  readonly network?: string
  readonly protocols: readonly NodeProtocol[]
  /** Undefined where the creator provides the upstreams. */
  readonly upstreams?: UpstreamTexts
  readonly description: string
}

/**
 * Lists all deployment options: one for each protocol in the gateway's configuration, and one for each chain with
 * upstreams that the creator provides.
 */
export function deploymentOptions(
  protocols: readonly ProtocolDescription[],
  configured: ConfiguredNode | undefined,
): readonly DeploymentOption[] {
  return [...configuredOptions(protocols, configured), ...customOptions(protocols)]
}

/** The id of a chain's option for upstreams that the creator provides. */
export function customOptionOf(chain: string): string {
  return `own-${chain}`
}

function configuredOptions(
  protocols: readonly ProtocolDescription[],
  configured: ConfiguredNode | undefined,
): readonly DeploymentOption[] {
  if (configured === undefined) return []
  const { chain, network, upstreams } = configured
  return protocols
    .filter(({ name }) => Object.hasOwn(upstreams, name))
    .map((protocol) => ({
      id: protocol.name,
      // The configured node may have several protocols, but only one chain.
      chain: protocol.chains.includes(chain) ? chain : protocol.defaultChain,
      network,
      protocols: [protocol.name as NodeProtocol],
      upstreams: partsOf(protocol, upstreams),
      description: `The ${protocol.name} upstreams from the configuration of the gateway.`,
    }))
}

function customOptions(protocols: readonly ProtocolDescription[]): readonly DeploymentOption[] {
  return [...nodeChains(protocols)].map(([chain, offered]) => ({
    id: customOptionOf(chain),
    chain,
    protocols: offered,
    description: `Your own upstreams for ${titleOf(protocols, chain)}.`,
  }))
}

function titleOf(protocols: readonly ProtocolDescription[], chain: string): string {
  return (
    protocols.find(({ chainTitles }) => chainTitles?.[chain] !== undefined)?.chainTitles?.[chain] ?? chain
  )
}
