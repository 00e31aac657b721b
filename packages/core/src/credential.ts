import { FairleadError } from './error.ts'

/** A token that is part of the path of the node's URL. */
export interface TokenCredential {
  readonly kind: 'token'
  readonly token: string
}

/** User name and password for HTTP basic authentication (RFC 7617). */
export interface BasicCredential {
  readonly kind: 'basic'
  readonly username: string
  readonly password: string
}

/** A token sent as the gRPC metadata entry `x-token`. */
export interface XTokenCredential {
  readonly kind: 'x-token'
  readonly token: string
}

/** An API key sent as a bearer token (RFC 6750); the platform API accepts nothing else. */
export interface BearerCredential {
  readonly kind: 'bearer'
  readonly key: string
}

/** The credentials that a node accepts. Bearer tokens are for the platform API only. */
export type NodeCredential = TokenCredential | BasicCredential | XTokenCredential

export type Credential = NodeCredential | BearerCredential

/**
 * Encodes user name and password as the value of an `Authorization` header.
 *
 * @param credential - user name without a colon, and password; any Unicode, sent as UTF-8
 * @returns `Basic ` and the base64 form
 * @throws {@link FairleadError} `CONFIG_INVALID` when the user name contains a colon
 * @example
 * ```ts
 * basicAuthorization({ kind: 'basic', username: 'a', password: 'b' }) // 'Basic YTpi'
 * ```
 * @see RFC 7617
 */
export function basicAuthorization({ username, password }: BasicCredential): string {
  if (username.includes(':')) {
    throw new FairleadError('CONFIG_INVALID', { option: 'auth.username', rule: 'must not contain a colon' })
  }
  const bytes = new TextEncoder().encode(`${username}:${password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/**
 * Lists every text that must never be logged when this credential is in use.
 *
 * @param credential - any credential
 * @returns the secrets in every encoding in which they are sent, for {@link redact}
 * @example
 * ```ts
 * secretsOf({ kind: 'token', token: 't0k3n' }) // ['t0k3n']
 * ```
 */
export function secretsOf(credential: Credential): readonly string[] {
  switch (credential.kind) {
    case 'token':
    case 'x-token':
      return [credential.token]
    case 'basic':
      return [basicAuthorization(credential).slice(6), credential.password]
    case 'bearer':
      return [credential.key]
    default:
      return credential satisfies never
  }
}
