import { guardedInterval } from '@fairlead/runtime'
import type { Admission, Requester } from '../admission/types.ts'
import type { Grant } from '../grants/grant.ts'
import type { Directory } from './directory.ts'

/** Why a credential is no longer valid for a connection. */
export interface AccessLoss {
  /**
   * - `revoked`: the credential is no longer valid.
   * - `expired`: its expiry time has passed.
   * - `rule`: a rule of the node now rejects the client.
   * - `protocol`: the node no longer offers the protocol.
   * - `moved`: the upstreams of the connection are no longer those of the node.
   */
  readonly cause: 'revoked' | 'expired' | 'rule' | 'protocol' | 'moved'
  /** The reason of the rejection, for `rule` and `protocol`. */
  readonly reason?: string | undefined
}

/** A connection or a stream that lasts longer than one call. */
export interface LongLivedConnection {
  /** The grant of its credential. */
  readonly grant: Grant
  readonly requester: Requester
  /**
   * Applies the current grant of the credential.
   *
   * @returns whether the upstreams of the connection are still those of the node
   */
  renew(grant: Grant): boolean
  /** Ends the connection. */
  end(loss: AccessLoss): void
}

/** Dependencies of a connection guard. */
export interface ConnectionGuardOptions {
  readonly protocol: string
  readonly directory: Directory
  readonly admission: Pick<Admission, 'checkRequester'>
}

// The expiry of a credential does not change the directory.
const expiryMs = 250

/** Ends the long-lived connections of a protocol as soon as their credentials are no longer valid for them. */
export class ConnectionGuard {
  readonly #options: ConnectionGuardOptions
  readonly #connections = new Map<LongLivedConnection, Grant>()
  readonly #unsubscribe: () => void
  readonly #expiry: NodeJS.Timeout
  // The credential of a new connection may have changed since authentication.
  #hasAdditions = false

  constructor(options: ConnectionGuardOptions) {
    this.#options = options
    this.#unsubscribe = options.directory.onReplaced(() => this.#checkAll())
    this.#expiry = guardedInterval(() => this.#tick(), expiryMs).unref()
  }

  add(connection: LongLivedConnection): void {
    this.#connections.set(connection, connection.grant)
    this.#hasAdditions = true
  }

  delete(connection: LongLivedConnection): void {
    this.#connections.delete(connection)
  }

  /** Stops watching all connections. */
  close(): void {
    this.#unsubscribe()
    clearInterval(this.#expiry)
    this.#connections.clear()
  }

  #tick(): void {
    if (this.#hasAdditions) this.#checkAll()
    const now = Date.now()
    for (const [connection, { expiresAt }] of this.#connections) {
      if (expiresAt !== undefined && expiresAt <= now) connection.end({ cause: 'expired' })
    }
  }

  #checkAll(): void {
    const { directory } = this.#options
    this.#hasAdditions = false
    for (const [connection, before] of this.#connections) {
      const grant = directory.current(before.credentialId)
      if (grant === before) continue
      const loss = this.#lossOf(connection, before, grant)
      if (loss) connection.end(loss)
      else if (grant) this.#connections.set(connection, grant)
    }
  }

  #lossOf(connection: LongLivedConnection, before: Grant, grant: Grant | undefined): AccessLoss | undefined {
    const { protocol, admission } = this.#options
    if (!grant) {
      const isExpired = before.expiresAt !== undefined && before.expiresAt <= Date.now()
      return { cause: isExpired ? 'expired' : 'revoked' }
    }
    const rejection = admission.checkRequester(grant, protocol, connection.requester)
    // A rejection by a rule names the rule in its data.
    if (rejection)
      return { cause: rejection.data === undefined ? 'protocol' : 'rule', reason: rejection.reason }
    return connection.renew(grant) ? undefined : { cause: 'moved' }
  }
}
