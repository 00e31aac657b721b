import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/encrypted-upstreams.ts'

/** A protocol of nodes. */
export type NodeProtocol = Success<'getNode'>['protocols'][number]

/** A protocol of upstreams, as named in the platform API. */
export type UpstreamProtocol = Success<'getNode'>['upstreams'][number]['protocol']

/** Returns the protocols that nodes of each chain can offer, the chain's main protocol first. */
export function nodeChains(
  protocols: readonly ProtocolDescription[],
): ReadonlyMap<string, readonly NodeProtocol[]> {
  const chains = new Map(
    protocols.flatMap(({ name, chains: protocolChains }) =>
      protocolChains.map((chain) => [chain, [name as NodeProtocol]]),
    ),
  )
  for (const { name, furtherChains } of protocols) {
    for (const chain of furtherChains) chains.get(chain)?.push(name as NodeProtocol)
  }
  return chains
}

/** Selects the upstreams of a node that serve one protocol. */
export function partsOf({ upstreamFields }: ProtocolDescription, upstreams: UpstreamTexts): UpstreamTexts {
  const names = new Set(upstreamFields.map(({ recordName }) => recordName))
  return Object.fromEntries(Object.entries(upstreams).filter(([name]) => names.has(name)))
}

/** Selects the texts that are names of node protocols. */
export function nodeProtocolsIn(
  protocols: readonly ProtocolDescription[],
  texts: readonly string[],
): readonly NodeProtocol[] {
  const names = new Set(protocols.map(({ name }) => name))
  return texts.filter((text): text is NodeProtocol => names.has(text))
}
