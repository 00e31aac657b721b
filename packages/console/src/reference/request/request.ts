/** A request that was not sent yet, without any secret. */
export interface Request {
  readonly method: string
  /** Path and query; {@link tokenPlace} stands where the token goes. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** By what it is let in: a key or a session of the platform, a token in the path, or nothing. */
  readonly access: 'platform' | 'node' | 'public'
}

/** Stands for the token in a target; the values of parameters are escaped and never look like it. */
export const tokenPlace = '{auth_token}'
