import type { Encryptor } from '@fairlead/gateway-core/credentials/sealing'

/** Upstream addresses by protocol. */
export type UpstreamTexts = Readonly<Record<string, string>>

/** Seals the upstreams of a node for its record. */
export function sealUpstreams(encryptor: Encryptor, nodeId: string, upstreams: UpstreamTexts): string {
  return encryptor.seal(JSON.stringify(upstreams), nodeId)
}

/**
 * Reads the upstreams of a node's record.
 * @throws EncryptionError when they were sealed for another node or with another key
 */
export function openUpstreams(encryptor: Encryptor, nodeId: string, sealed: string): UpstreamTexts {
  return JSON.parse(encryptor.open(sealed, nodeId)) as UpstreamTexts
}

/** Whether two nodes have the same upstreams, in whatever order. */
export function areSameUpstreams(one: UpstreamTexts, other: UpstreamTexts): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  )
}
