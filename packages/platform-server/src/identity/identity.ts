import type { Role } from './role.ts'
import type { Scope } from './scopes.ts'

/** Who calls the platform API. */
export interface Identity {
  readonly kind: 'key' | 'session'
  /** Of the key or of the session. */
  readonly id: string
  /** Prefix of the key or e-mail address of the user; for logs and the audit log. */
  readonly label: string
  /** For a key: its creator. */
  readonly userId: string
  readonly organizationId: string
  /** Of the user, now. */
  readonly role: Role
  /** Of a session: all of the role. Of a key: its own, as far as its creator's role still has them. */
  readonly scopes: ReadonlySet<Scope>
  /** When a key ends; undefined for one without an end, and for a session. */
  readonly expiresAt?: string | undefined
}

/** Where a request came from; for the audit log. */
export interface Origin {
  readonly ip: string
  readonly userAgent: string
  readonly requestId: string
}
