import type { components } from '@fairlead/platform-client'
import { type PagedRows, allPages, pagesOf } from './all-pages.ts'
import { bodyOf, platform } from './client.ts'

type Credential = components['schemas']['NodeCredential']
type Node = components['schemas']['Node']
type Project = components['schemas']['Project']

// More than five thousand entries are useless in a list, and every page counts against the rate limit.
const maxPages = 50

/** The nodes for a selection, by name. */
export function allNodes(): Promise<PagedRows<Node>> {
  return allPages((page) => {
    const query = { order_by: 'name', page } as const
    return bodyOf(platform.GET('/v2/nodes/', { params: { query } }))
  }, maxPages)
}

/** The projects for a selection, by name. */
export function allProjects(): Promise<PagedRows<Project>> {
  return allPages((page) => {
    const query = { order_by: 'name', page } as const
    return bodyOf(platform.GET('/v2/projects/', { params: { query } }))
  }, maxPages)
}

/** A credential of a node whose token can be revealed; undefined when there is none. */
export async function revealableCredential(nodeId: string): Promise<Credential | undefined> {
  const pages = pagesOf((page) => {
    const params = { path: { id: nodeId }, query: { page } }
    return bodyOf(platform.GET('/v2/nodes/{id}/credentials/', { params }))
  }, maxPages)
  for await (const { results } of pages) {
    const found = results.find(
      ({ kind, state, can_reveal: canReveal }) => kind === 'token' && state === 'active' && canReveal,
    )
    if (found) return found
  }
  return undefined
}
