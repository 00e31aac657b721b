import type { RoutePattern } from '../http/route.ts'
import type { ProtocolDescription } from './description.ts'

const ofGateway = [
  'v1',
  'v2',
  'healthz',
  'readyz',
  'metrics',
  'console',
  'docs',
  'favicon.ico',
  'robots.txt',
  '.well-known',
]

/** First path segments with a fixed meaning, which are therefore never tokens. */
export function reservedSegments(
  protocols: readonly Pick<ProtocolDescription, 'routes'>[],
): ReadonlySet<string> {
  const patterns = protocols.flatMap(({ routes }) => routes.map(({ pattern }) => pattern))
  return new Set([...ofGateway, ...patterns.flatMap(firstSegments)])
}

function firstSegments(pattern: RoutePattern): readonly string[] {
  if ('path' in pattern) return [pattern.path.slice(1)]
  if ('contentType' in pattern) return []
  if (pattern.prefix !== undefined) return [pattern.prefix]
  return 'afterToken' in pattern && pattern.isDeep ? [pattern.afterToken] : []
}
