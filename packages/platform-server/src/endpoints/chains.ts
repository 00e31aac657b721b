import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/sealed-upstreams.ts'

/** What can be spoken with a node. */
export type NodeProtocol = Success<'getNode'>['protocols'][number]

/** What is spoken with an upstream, as the platform API names it. */
export type UpstreamProtocol = Success<'getNode'>['upstreams'][number]['protocol']

/** What nodes of each chain may offer, the protocol that the chain is known by first. */
export function nodeChains(
  protocols: readonly ProtocolDescription[],
): ReadonlyMap<string, readonly NodeProtocol[]> {
  const chains = new Map(
    protocols.flatMap(({ name, chains: own }) => own.map((chain) => [chain, [name as NodeProtocol]])),
  )
  for (const { name, furtherChains } of protocols) {
    for (const chain of furtherChains) chains.get(chain)?.push(name as NodeProtocol)
  }
  return chains
}

/** Those upstreams of a node that serve one protocol. */
export function partsOf({ upstreamFields }: ProtocolDescription, upstreams: UpstreamTexts): UpstreamTexts {
  const names = new Set(upstreamFields.map(({ recordName }) => recordName))
  return Object.fromEntries(Object.entries(upstreams).filter(([name]) => names.has(name)))
}

/** Those of some texts that are names of protocols of nodes. */
export function nodeProtocolsIn(
  protocols: readonly ProtocolDescription[],
  texts: readonly string[],
): readonly NodeProtocol[] {
  const names = new Set(protocols.map(({ name }) => name))
  return texts.filter((text): text is NodeProtocol => names.has(text))
}
