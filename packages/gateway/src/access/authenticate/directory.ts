import type { CredentialKind, CredentialRecord, NodeGrant } from '../../credentials/node-grant.ts'
import { sha256Hex } from '../../credentials/secret.ts'

/** The credentials of all nodes, in memory: what the hot path asks instead of the database. */
export interface Directory {
  /**
   * Finds what a credential opens.
   *
   * @param kind - how it was sent
   * @param secret - the token, or `username:password`
   */
  find(kind: CredentialKind, secret: string): NodeGrant | undefined
  /** What a credential opens now, for connections that outlive a request; undefined when it is no longer in force. */
  current(credentialId: string): NodeGrant | undefined
  /** Puts a new snapshot in force at once. */
  replace(records: readonly CredentialRecord[]): void
  /**
   * Hears of every new snapshot, once it is in force.
   *
   * @returns a function that ends the hearing
   */
  onReplaced(listener: () => void): () => void
  readonly size: number
}

/**
 * Makes an empty directory.
 *
 * Secrets are looked up by SHA-256: the map holds no secret, and the time of a look-up says nothing about one.
 */
export function createDirectory(): Directory {
  let bySecret: ReadonlyMap<string, NodeGrant> = new Map()
  let byId: ReadonlyMap<string, NodeGrant> = new Map()
  const listeners = new Set<() => void>()
  return {
    find: (kind, secret) => {
      const grant = inForce(bySecret.get(sha256Hex(secret)))
      return grant?.kind === kind ? grant : undefined
    },
    current: (credentialId) => inForce(byId.get(credentialId)),
    replace: (records) => {
      bySecret = new Map(records.map(({ sha256, grant }) => [sha256, grant]))
      byId = new Map(records.map(({ grant }) => [grant.credentialId, grant]))
      for (const listener of listeners) listener()
    },
    onReplaced: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get size() {
      return bySecret.size
    },
  }
}

// A snapshot may be older than the end of a credential in it.
function inForce(grant: NodeGrant | undefined): NodeGrant | undefined {
  return grant?.expiresAt !== undefined && grant.expiresAt <= Date.now() ? undefined : grant
}
