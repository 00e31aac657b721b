import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CredentialKind, CredentialRecord, Grant } from '../grants/grant.ts'
import { CredentialTable } from './credential-table.ts'

/** The freshness of the directory. */
export interface DirectoryStates {
  /** When everything was last loaded, in milliseconds since 1970. `loadMs` is the duration of that load. */
  readonly loadedAt: number
  readonly loadMs: number
  /** Number of failed loads since the start. */
  readonly failures: number
}

/** Ids of nodes and credentials that have changed. */
export interface ChangedRecords {
  readonly nodeIds: readonly string[]
  readonly credentialIds: readonly string[]
}

/** A full reload, page by page. Records that are not added are removed at its end. */
export interface Reload {
  /** Each record takes effect immediately. */
  add(records: readonly CredentialRecord[]): void
  end(): Promise<void>
}

/** The credentials of all nodes, in memory. The hot path uses it instead of the database. */
export interface Directory {
  /**
   * Finds the grant of a credential.
   *
   * @param kind - how the credential was sent
   * @param secret - the token, or `username:password`
   */
  find(kind: CredentialKind, secret: string): Grant | undefined
  /**
   * The current grant of a credential, for connections that outlive a request; undefined when it is no longer valid. It
   * is the same object until something about it changes.
   */
  current(credentialId: string): Grant | undefined
  /** Replaces all records at once. */
  replace(records: readonly CredentialRecord[]): void
  /** Begins a full reload, for data that is too large to replace at once. Only one reload at a time. */
  reload(): Reload
  /** Applies changes: the named records are removed unless `records` contains them. */
  change(changed: ChangedRecords, records: readonly CredentialRecord[]): void
  /**
   * Adds a listener that is called after every change took effect.
   *
   * @returns a function that removes the listener
   */
  onReplaced(listener: () => void): () => void
  readonly size: number
  /** Changes whenever anything may have changed. */
  readonly version: number
}

// Maximum number of slots to sweep in one event-loop tick: well below a millisecond.
const sweepLength = 20_000

/** Returns a function that reports whether a grant is not the current one of its credential. */
export function staleGrants(directory: Pick<Directory, 'current'>): (grant: Grant) => boolean {
  return (grant) => directory.current(grant.credentialId) !== grant
}

/**
 * Creates an empty directory.
 *
 * Secrets are looked up by SHA-256: the table contains no secrets, and the duration of a lookup reveals nothing about a
 * secret.
 */
export function createDirectory(): Directory {
  const table = new CredentialTable()
  const listeners = new Set<() => void>()
  let version = 0
  const notify = () => {
    for (const listener of listeners) listener()
  }
  /** Puts all records. Returns true when anything changed. */
  const put = (records: readonly CredentialRecord[]) => {
    version += 1
    let isNew = false
    for (const record of records) isNew = table.put(record) || isNew
    return isNew
  }
  return {
    find: (kind, secret) => {
      const grant = unlessExpired(table.bySecret(hash('sha256', secret, 'binary')))
      return grant?.kind === kind ? grant : undefined
    },
    current: (credentialId) => unlessExpired(table.byId(credentialId)),
    replace: (records) => {
      table.beginSweep()
      put(records)
      table.sweep(0, Infinity)
      notify()
    },
    reload: () => {
      table.beginSweep()
      let isChanged = false
      return {
        add: (records) => {
          isChanged = put(records) || isChanged
        },
        end: async () => {
          for (let from: number | undefined = 0; from !== undefined;) {
            version += 1
            const { next, removed } = table.sweep(from, sweepLength)
            isChanged ||= removed
            from = next
            if (next !== undefined) await nextTurn()
          }
          if (isChanged) notify()
        },
      }
    },
    change: (changed, records) => {
      const isLess = table.removeExcept(changed, records)
      const isNew = put(records)
      if (isLess || isNew) notify()
    },
    onReplaced: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get size() {
      return table.size
    },
    get version() {
      return version
    },
  }
}

// The loaded data may be older than the expiry of a credential in it.
function unlessExpired(grant: Grant | undefined): Grant | undefined {
  return grant?.expiresAt !== undefined && grant.expiresAt <= Date.now() ? undefined : grant
}
