import type { ProtocolDescription } from './description.ts'

const ofService = [
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

/** First segments of paths that have a meaning of their own, so that no token is like them. */
export function reservedSegments(protocols: readonly ProtocolDescription[]): ReadonlySet<string> {
  return new Set([...ofService, ...protocols.flatMap((protocol) => protocol.reservedSegments)])
}
