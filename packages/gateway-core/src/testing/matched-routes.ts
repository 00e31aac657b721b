import type { RouteMatch } from '../http/route.ts'
import { Router } from '../http/router.ts'
import type { ProtocolDescription, ProtocolRoute } from '../protocol/description.ts'
import { reservedSegments } from '../protocol/reserved-segments.ts'

/**
 * Creates a function that matches a target against the routes of a protocol.
 *
 * @param otherRoutes - patterns of other protocols, whose first segments are not tokens
 */
export function routesOf(
  { routes }: Pick<ProtocolDescription, 'routes'>,
  kind: ProtocolRoute['kind'] = 'http',
  otherRoutes: readonly ProtocolRoute[] = [],
): (target: string) => RouteMatch | undefined {
  const ofKind = routes.filter((route) => route.kind === kind)
  const reserved = reservedSegments([{ routes }, { routes: otherRoutes }])
  const router = new Router(
    ofKind.map(({ pattern }) => ({ pattern, handler: undefined })),
    reserved,
  )
  return (target) => router.match(target)
}
