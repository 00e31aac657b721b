import type { IconName } from '../components/icon.tsx'
import type { Scope } from '../platform/session.tsx'

/** A page in the navigation. */
export interface NavigationItem {
  readonly href: string
  readonly label: string
  readonly icon: IconName
  /** The scope that the page requires. */
  readonly scope?: Scope
}

/** The pages of the navigation in their groups. */
export const navigationGroups: readonly {
  readonly title: string
  readonly items: readonly NavigationItem[]
}[] = [
  {
    title: 'Gateway',
    items: [
      { href: '/console/', label: 'Overview', icon: 'overview' },
      { href: '/console/projects', label: 'Projects', icon: 'project', scope: 'projects:read' },
      { href: '/console/nodes', label: 'Nodes', icon: 'node', scope: 'nodes:read' },
      { href: '/console/playground', label: 'Playground', icon: 'playground', scope: 'nodes:read' },
      { href: '/console/usage', label: 'Usage', icon: 'usage', scope: 'usage:read' },
    ],
  },
  {
    title: 'Organization',
    items: [
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
export function navigationItemOf(path: string): NavigationItem | undefined {
  const items = navigationGroups.flatMap((group) => group.items)
  return items.find(({ href }) => {
    const base = href.replace(/\/$/, '')
    return path === base || (base !== '/console' && path.startsWith(`${base}/`))
  })
}
