/** A request that is not sent yet, without secrets. */
export interface Request {
  readonly method: string
  /** Path and query, with {@link tokenPlaceholder} in place of the token. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Its authentication: a key or a session of the platform, a token in the path, or none. */
  readonly access: 'platform' | 'node' | 'public'
}

/** Placeholder for the token in a target; the values of parameters are escaped and never equal to it. */
export const tokenPlaceholder = '{auth_token}'
