import type { IncomingHttpHeaders } from 'node:http'
import { decodeLeniently } from '../uri.ts'
import { requestPath } from './request-target.ts'
import type { RouteMatch, RoutePattern } from './route.ts'

/** A pattern and the handler of the requests that match it. */
export interface Route<handler> {
  readonly pattern: RoutePattern
  readonly handler: handler
}

/** A match and its handler. */
export interface HandlerMatch<handler> extends RouteMatch {
  readonly handler: handler
}

type AfterToken = Extract<RoutePattern, { readonly afterToken: string }>
type Prefix = Extract<RoutePattern, { readonly prefix: string }>
type ContentType = Extract<RoutePattern, { readonly contentType: RegExp }>
type RouteOf<pattern, handler> = { readonly pattern: pattern; readonly handler: handler }

/**
 * Finds the handler of a request in one pass over its target. Paths of the gateway itself come first, then media types,
 * then the paths of protocols.
 *
 * @example
 * ```ts
 * const router = new Router([{ pattern: { afterToken: 'api', isDeep: true }, handler: 'ton' }], new Set(['v1']))
 * router.match('/t0k3n/api/v2/getConfigParam') // { handler: 'ton', token: 't0k3n', target: '/api/v2/getConfigParam', … }
 * ```
 */
export class Router<handler> {
  readonly #reserved: ReadonlySet<string>
  readonly #paths = new Map<string, RouteOf<RoutePattern, handler>>()
  readonly #prefixes = new Map<string, RouteOf<Prefix, handler>>()
  /** Routes by the segment before the token, which is empty for most, and by the segment after it. */
  readonly #afterTokens = new Map<string, Map<string, RouteOf<AfterToken, handler>>>()
  readonly #contentTypes: { readonly route: RouteOf<ContentType, handler>; readonly requested: RegExp }[] = []

  /**
   * @param reserved - first segments that are never a token
   * @throws TypeError when two routes have the same pattern
   */
  constructor(routes: Iterable<Route<handler>>, reserved: ReadonlySet<string>) {
    this.#reserved = reserved
    for (const { pattern, handler } of routes) {
      if ('path' in pattern) add(this.#paths, pattern.path, { pattern, handler })
      else if ('contentType' in pattern) {
        this.#contentTypes.push({
          route: { pattern, handler },
          requested: requestsAny(pattern.requestHeaders),
        })
      } else if ('afterToken' in pattern) {
        const { prefix = '', afterToken } = pattern
        const table = this.#afterTokens.get(prefix) ?? new Map<string, RouteOf<AfterToken, handler>>()
        this.#afterTokens.set(prefix, table)
        add(table, afterToken, { pattern, handler })
      } else add(this.#prefixes, pattern.prefix, { pattern, handler })
    }
  }

  /** Matches a request by its path, its media type or the headers of its preflight. */
  matchRequest(
    method: string | undefined,
    target: string,
    headers: IncomingHttpHeaders,
  ): HandlerMatch<handler> | undefined {
    const byPath = this.match(target)
    if (byPath && isOfGateway(byPath.pattern)) return byPath
    return this.#matchContentType(method, target, headers) ?? byPath
  }

  /** Matches a request by its path only. */
  match(target: string): HandlerMatch<handler> | undefined {
    const path = requestPath(target)
    if (!path.startsWith('/')) return undefined
    const exact = this.#paths.get(path)
    if (exact) return { ...exact, token: undefined, target }
    const at = target.indexOf('?')
    const query = at < 0 ? '' : target.slice(at)
    const [, first = ''] = path.split('/', 2)
    const prefixed = this.#prefixes.get(first)
    if (prefixed) return matchPrefix(prefixed, path.slice(first.length + 1), query)
    const table = first === '' ? undefined : this.#afterTokens.get(first)
    return table
      ? this.#matchAfterToken(table, path.slice(first.length + 1) || '/', query)
      : this.#matchAfterToken(this.#afterTokens.get(''), path, query)
  }

  #matchAfterToken(
    table: ReadonlyMap<string, RouteOf<AfterToken, handler>> | undefined,
    path: string,
    query: string,
  ): HandlerMatch<handler> | undefined {
    if (table === undefined) return undefined
    const [first = '', second = '', ...rest] = path.replace(/\/$/, '').split('/').slice(1)
    const withoutToken = table.get(first)
    if (withoutToken && (withoutToken.pattern.isDeep || (second === '' && rest.length === 0)))
      return { ...withoutToken, token: undefined, target: `${path}${query}` }
    const route = table.get(second)
    if (!route || first === '' || this.#reserved.has(first)) return undefined
    if (!route.pattern.isDeep && rest.length > 0) return undefined
    return { ...route, token: decodeLeniently(first), target: `${path.slice(first.length + 1)}${query}` }
  }

  #matchContentType(
    method: string | undefined,
    target: string,
    headers: IncomingHttpHeaders,
  ): HandlerMatch<handler> | undefined {
    const type = method === 'POST' ? headers['content-type'] : undefined
    const requestedHeaders = method === 'OPTIONS' ? headers['access-control-request-headers'] : undefined
    if (type === undefined && requestedHeaders === undefined) return undefined
    const found = this.#contentTypes.find(
      ({ route, requested }) =>
        (type !== undefined && route.pattern.contentType.test(type)) ||
        (requestedHeaders !== undefined && requested.test(requestedHeaders)),
    )
    return found && { ...found.route, token: undefined, target }
  }
}

/** Matches `Access-Control-Request-Headers` that contain one of the names. */
function requestsAny(names: readonly string[]): RegExp {
  return names.length === 0 ? /(?!)/ : new RegExp(`(?:^|[\\s,])(?:${names.join('|')})(?:[\\s,]|$)`, 'i')
}

/** Whether a path belongs to the gateway: it has no token, so no protocol serves it. */
function isOfGateway(pattern: RoutePattern): boolean {
  return 'path' in pattern || ('prefix' in pattern && !('root' in pattern) && !('afterToken' in pattern))
}

function matchPrefix<handler>(
  route: RouteOf<Prefix, handler>,
  below: string,
  query: string,
): HandlerMatch<handler> {
  const { pattern } = route
  const root = 'root' in pattern ? pattern.root : undefined
  const [, first = ''] = below.split('/', 2)
  if (root === undefined || first === '' || first === root)
    return { ...route, token: undefined, target: `${below}${query}` }
  return { ...route, token: decodeLeniently(first), target: `${below.slice(first.length + 1)}${query}` }
}

function add<route>(routes: Map<string, route>, key: string, route: route): void {
  if (routes.has(key)) throw new TypeError(`Two routes have the pattern "${key}".`)
  routes.set(key, route)
}
