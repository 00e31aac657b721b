import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'

/** Upstream URLs by protocol. */
export type UpstreamTexts = Readonly<Record<string, string>>

/** Encrypts the upstreams of a node, bound to the node id. */
export function sealUpstreams(encryptor: Encryptor, nodeId: string, upstreams: UpstreamTexts): string {
  return encryptor.seal(JSON.stringify(upstreams), nodeId)
}

/**
 * Decrypts the upstreams of a node.
 * @throws EncryptionError when they were encrypted for another node or with another key
 */
export function openUpstreams(encryptor: Encryptor, nodeId: string, sealed: string): UpstreamTexts {
  return JSON.parse(encryptor.open(sealed, nodeId)) as UpstreamTexts
}

/** Whether two nodes have the same upstreams; the order of the protocols does not matter. */
export function areSameUpstreams(one: UpstreamTexts, other: UpstreamTexts): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  )
}
