import type { ColumnType } from 'kysely'
import type { Role } from '../identity/role.ts'
import type { Scope } from '../identity/scopes.ts'
import type { NullableTimestamp, Timestamp, Version } from './column-types.ts'

/** Origin of a secret: the first start, the development mode, or a user. */
export type SecretOrigin = 'first-start' | 'development' | 'user'

/** Origin of a user's password: the first start, the development mode, or the user. */
export type PasswordOrigin = SecretOrigin

export interface OrganizationTable {
  id: string
  name: string
  created_at: Timestamp
  version: Version
}

export interface UserTable {
  id: string
  email: string
  first_name: string
  last_name: string
  /** Argon2id hash in the PHC string format; null for a user without a password. */
  password_hash: string | null
  password_origin: PasswordOrigin | null
  must_change_password: ColumnType<boolean, boolean | undefined, boolean>
  last_sign_in_at: NullableTimestamp
  disabled_at: NullableTimestamp
  created_at: Timestamp
}

export interface MembershipTable {
  user_id: string
  organization_id: string
  role: Role
  created_at: Timestamp
  version: Version
}

export interface ApiKeyTable {
  id: string
  organization_id: string
  creator_id: string
  name: string
  scopes: Scope[]
  origin: SecretOrigin
  created_at: Timestamp
  expires_at: NullableTimestamp
  last_used_at: NullableTimestamp
  last_used_ip: string | null
  revoked_at: NullableTimestamp
  version: Version
}

export interface ApiKeySecretTable {
  /** The first part of the key, which may be shown. */
  prefix: string
  key_id: string
  /** Hash of the whole key. */
  sha256: string
  created_at: Timestamp
  expires_at: NullableTimestamp
  last_used_at: NullableTimestamp
}

export interface SessionTable {
  id: string
  /** Hash of the cookie value. */
  sha256: string
  user_id: string
  organization_id: string
  ip: string
  user_agent: string
  created_at: Timestamp
  /** Time of the user's authentication, before `created_at` for a single sign-on; null if it is unknown. */
  authenticated_at: NullableTimestamp
  last_used_at: Timestamp
  expires_at: ColumnType<unknown, string, string>
}

export interface InvitationTable {
  id: string
  organization_id: string
  inviter_id: string
  /** The key that created the invitation, which is invalid without it; null for an invitation of a session. */
  api_key_id: ColumnType<string | null, string | null | undefined, never>
  email: string
  role: Exclude<Role, 'owner'>
  /** Hash of the token. */
  sha256: string
  created_at: Timestamp
  expires_at: ColumnType<unknown, string, string>
}

/** Append-only: the database rejects updates and deletes. */
export interface AuditLogTable {
  id: string
  organization_id: string
  created_at: Timestamp
  action: string
  actor_kind: 'user' | 'key' | 'system'
  actor_id: string | null
  actor_label: string
  object_kind: string
  object_id: string
  object_name: string | null
  /** JSON. */
  changes: string
  ip: string | null
  user_agent: string | null
  request_id: string | null
}
