import type { Sealer } from '@fairlead/gateway-core/credentials/sealing'

/** Upstream addresses by protocol. */
export type UpstreamTexts = Readonly<Record<string, string>>

/** Seals the upstreams of a node for its record. */
export function sealUpstreams(sealer: Sealer, nodeId: string, upstreams: UpstreamTexts): string {
  return sealer.seal(JSON.stringify(upstreams), nodeId)
}

/**
 * Reads the upstreams of a node's record.
 * @throws SealingError when they were sealed for another node or with another key
 */
export function openUpstreams(sealer: Sealer, nodeId: string, sealed: string): UpstreamTexts {
  return JSON.parse(sealer.open(sealed, nodeId)) as UpstreamTexts
}

/** Whether two nodes have the same upstreams, in whatever order. */
export function areSameUpstreams(one: UpstreamTexts, other: UpstreamTexts): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  )
}
