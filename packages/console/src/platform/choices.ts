import type { components } from '@fairlead/platform-client'
import { allPages } from './all-pages.ts'
import { bodyOf, platform } from './client.ts'

type Credential = components['schemas']['NodeCredential']

// Nobody looks through more than five thousand, and every page counts against the limit of requests.
const mostPages = 50

/** The nodes to choose from, by name. */
export function allNodes(): Promise<readonly components['schemas']['Node'][]> {
  return allPages((page) => {
    const query = { order_by: 'name', page } as const
    return bodyOf(platform.GET('/v2/nodes/', { params: { query } }))
  }, mostPages)
}

/** The projects to choose from, by name. */
export function allProjects(): Promise<readonly components['schemas']['Project'][]> {
  return allPages((page) => {
    const query = { order_by: 'name', page } as const
    return bodyOf(platform.GET('/v2/projects/', { params: { query } }))
  }, mostPages)
}

/** A credential of a node whose token can be shown; undefined when there is none. */
export async function revealableCredential(nodeId: string): Promise<Credential | undefined> {
  const credentials = await allPages((page) => {
    const params = { path: { id: nodeId }, query: { page } }
    return bodyOf(platform.GET('/v2/nodes/{id}/credentials/', { params }))
  }, mostPages)
  return credentials.find(
    ({ kind, state, can_reveal: canReveal }) => kind === 'token' && state === 'active' && canReveal,
  )
}
