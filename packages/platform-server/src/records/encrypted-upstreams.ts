import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'

/** Upstream URLs by protocol. */
export type UpstreamTexts = Readonly<Record<string, string>>

/** Encrypts the upstreams of a node, bound to the node id. */
export function encryptUpstreams(encryptor: Encryptor, nodeId: string, upstreams: UpstreamTexts): string {
  return encryptor.encrypt(JSON.stringify(upstreams), nodeId)
}

/**
 * Decrypts the upstreams of a node.
 * @throws EncryptionError when they were encrypted for another node or with another key
 */
export function decryptUpstreams(encryptor: Encryptor, nodeId: string, encrypted: string): UpstreamTexts {
  return JSON.parse(encryptor.decrypt(encrypted, nodeId)) as UpstreamTexts
}

/** Whether two nodes have the same upstreams; the order of the protocols does not matter. */
export function areSameUpstreams(a: UpstreamTexts, b: UpstreamTexts): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
  )
}
