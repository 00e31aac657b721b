import type { IconName } from '../components/icon.tsx'
import type { Scope } from '../platform/session.tsx'

/** A page in the navigation. */
export interface Place {
  readonly href: string
  readonly label: string
  readonly icon: IconName
  /** The scope that the page requires. */
  readonly scope?: Scope
}

/** The pages of the navigation in their groups. */
export const places: readonly { readonly title: string; readonly places: readonly Place[] }[] = [
  {
    title: 'Gateway',
    places: [
      { href: '/console/', label: 'Overview', icon: 'overview' },
      { href: '/console/projects', label: 'Projects', icon: 'project', scope: 'projects:read' },
      { href: '/console/nodes', label: 'Nodes', icon: 'node', scope: 'nodes:read' },
      { href: '/console/playground', label: 'Playground', icon: 'playground', scope: 'nodes:read' },
      { href: '/console/usage', label: 'Usage', icon: 'usage', scope: 'usage:read' },
    ],
  },
  {
    title: 'Organization',
    places: [
      { href: '/console/members', label: 'Members', icon: 'member', scope: 'members:read' },
      { href: '/console/api-keys', label: 'API keys', icon: 'key', scope: 'keys:read' },
      { href: '/console/webhooks', label: 'Webhooks', icon: 'webhook', scope: 'webhooks:read' },
      { href: '/console/audit-log', label: 'Audit log', icon: 'audit', scope: 'audit:read' },
      { href: '/console/account', label: 'Your account', icon: 'account' },
    ],
  },
]

/**
 * The navigation entry of a page, including pages below it.
 *
 * @param path - for example `/console/nodes/ND-1`
 */
export function placeOf(path: string): Place | undefined {
  const all = places.flatMap((group) => group.places)
  return all.find(({ href }) => {
    const own = href.replace(/\/$/, '')
    return path === own || (own !== '/console' && path.startsWith(`${own}/`))
  })
}
