/**
 * The requests that belong to a route.
 *
 * - `path`: exactly this path.
 * - `prefix`: all paths below the first segment. With `root`, the next segment is the token, unless it equals `root`.
 * - `afterToken`: `/<token>/<afterToken>`, and `/<afterToken>` without a token in the path; an empty string stands for
 *   `/<token>` and `/`. `isDeep` includes all paths below. With `prefix`, this path follows that segment.
 * - `contentType`: any path, by the media type of a POST; a preflight belongs to it when it requests one of the
 *   headers.
 */
export type RoutePattern =
  | { readonly path: string }
  | { readonly prefix: string; readonly root?: string }
  | { readonly afterToken: string; readonly isDeep: boolean; readonly prefix?: string }
  | { readonly contentType: RegExp; readonly requestHeaders: readonly string[] }

/** The result of matching a request target. */
export interface RouteMatch {
  readonly pattern: RoutePattern
  /** Decoded token; undefined when the path contains none. */
  readonly token: string | undefined
  /** Path and query after the token or the prefix, as received: for example `/eth/v1/node/peers?state=connected`. */
  readonly target: string
}
