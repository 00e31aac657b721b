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
  /** Puts a new snapshot in force at once. */
  replace(records: readonly CredentialRecord[]): void
  readonly size: number
}

/**
 * Makes an empty directory.
 *
 * Secrets are looked up by SHA-256: the map holds no secret, and the time of a look-up says nothing about one.
 */
export function createDirectory(): Directory {
  let grants: ReadonlyMap<string, NodeGrant> = new Map()
  return {
    find: (kind, secret) => {
      const grant = grants.get(sha256Hex(secret))
      return grant?.kind === kind ? grant : undefined
    },
    replace: (records) => {
      grants = new Map(records.map(({ sha256, grant }) => [sha256, grant]))
    },
    get size() {
      return grants.size
    },
  }
}
