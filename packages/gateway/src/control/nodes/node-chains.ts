import type { Body, Success } from '../platform-api/platform-call.ts'
import type { UpstreamTexts } from '../records/sealed-upstreams.ts'

/** A chain that a node can be created for. */
export type NodeChain = NonNullable<Body<'createNode'>['chain']>

/** What can be spoken with a node. */
export type NodeProtocol = Success<'getNode'>['protocols'][number]

/** What is spoken with an upstream, as the platform API names it. */
export type UpstreamProtocol = Success<'getNode'>['upstreams'][number]['protocol']

/** What nodes of a chain may offer, the protocol that the chain is known by first. */
export const nodeChains: Readonly<Record<NodeChain, readonly [NodeProtocol, ...NodeProtocol[]]>> = {
  ethereum: ['evm', 'beacon'],
  evm: ['evm', 'beacon', 'grpc'],
  'high-throughput': ['evm', 'grpc'],
  beacon: ['beacon'],
  jetton: ['jetton'],
  solana: ['grpc'],
}

/** The part of a node that each kind of upstream belongs to, by the name that its record has. */
const protocolOfPart: Readonly<Record<string, NodeProtocol>> = {
  evm: 'evm',
  websocket: 'evm',
  beacon: 'beacon',
  jetton: 'jetton',
  'jetton-v3': 'jetton',
  grpc: 'grpc',
}

/** Those upstreams of a node that serve one protocol. */
export function partsOf(protocol: NodeProtocol, upstreams: UpstreamTexts): UpstreamTexts {
  return Object.fromEntries(Object.entries(upstreams).filter(([part]) => protocolOfPart[part] === protocol))
}

/** Whether a text is the name of a protocol of nodes. */
export function isNodeProtocol(text: string): text is NodeProtocol {
  return protocolOfPart[text] === text
}
