import type { Role } from './role.ts'
import type { Scope } from './scopes.ts'

/** An authenticated caller of the platform API. */
export interface Identity {
  readonly kind: 'key' | 'session'
  /** Id of the key or the session. */
  readonly id: string
  /** Prefix of the key or e-mail address of the user, for logs and the audit log. */
  readonly label: string
  /** The user of the session, or the creator of the key. */
  readonly userId: string
  readonly organizationId: string
  /** Current role of the user. */
  readonly role: Role
  /** For a session, all scopes of the role. For a key, its own scopes that its creator's role still includes. */
  readonly scopes: ReadonlySet<Scope>
  /** Expiry of a key; undefined for a key that does not expire, and for a session. */
  readonly expiresAt?: string | undefined
  /** Whether the user of a session authenticated in the last minutes; undefined for a key. */
  readonly isRecentSignIn?: boolean | undefined
}

/** Origin of a request, for the audit log. */
export interface Origin {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
}
