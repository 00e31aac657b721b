/**
 * Which requests belong to a route.
 *
 * - `path`: this path alone.
 * - `prefix`: everything below the first segment. With `root`, the next segment is the token, unless it is `root`.
 * - `afterToken`: `/<token>/<afterToken>`, and `/<afterToken>` without a token in the path; an empty text stands for
 *   `/<token>` and `/`. `isDeep` includes everything below. With `prefix`, all of it follows that segment.
 * - `contentType`: any path, by the media type of a POST; a preflight belongs to it when it requests one of the headers.
 */
export type RoutePattern =
  | { readonly path: string }
  | { readonly prefix: string; readonly root?: string }
  | { readonly afterToken: string; readonly isDeep: boolean; readonly prefix?: string }
  | { readonly contentType: RegExp; readonly requestHeaders: readonly string[] }

/** What a request target matches. */
export interface RouteMatch {
  readonly pattern: RoutePattern
  /** Decoded; undefined when the path holds none. */
  readonly token: string | undefined
  /** Path and query behind the token, or behind the prefix, as received: for example `/eth/v1/node/peers?state=connected`. */
  readonly target: string
}
