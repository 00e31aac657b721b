import { FairleadError, unwrap } from '@fairlead/core'
import type { PlatformClient } from './client.ts'
import type { operations, Project, ProjectPage } from './generated/index.ts'

/** Query of {@link projects}: all parameters except the page, which the iterator controls. */
export type ProjectsQuery = Omit<NonNullable<operations['listProjects']['parameters']['query']>, 'page'>

/**
 * Lists all matching projects, and requests further pages on demand.
 *
 * A link to the next page is followed only on the configured origin, so the key is never sent to another host.
 *
 * @param client - client of the platform API
 * @param query - filters and order
 * @returns every project once
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`; `DECODE_INVALID` when a page or its link to the next one is
 *   invalid
 * @example
 * ```ts
 * for await (const project of projects(platform, { order_by: '-name' })) console.log(project.name)
 * ```
 * @see specs/platform/paths/v2/projects.yaml
 */
export async function* projects(
  client: PlatformClient,
  query: ProjectsQuery = {},
): AsyncGenerator<Project, void, undefined> {
  let page: number | undefined = 1
  while (page !== undefined) {
    const list: ProjectPage = await unwrap(
      client.GET('/v2/projects/', { params: { query: { ...query, page } } }),
    )
    if (!Array.isArray(list?.results)) throw invalidPage('results', 'must be a list of projects')
    yield* list.results
    page = list.next === null ? undefined : nextPage(list.next, page, new URL(client.baseUrl).origin)
  }
}

// Only the page number is read from a link; all other parts of the request are those of the first one. Page numbers
// must increase, so that a link to a previous page cannot cause an endless loop.
function nextPage(next: unknown, current: number, origin: string): number {
  const url = typeof next === 'string' && URL.canParse(next, origin) ? new URL(next, origin) : undefined
  const page = Number(url?.searchParams.get('page'))
  if (url?.origin === origin && Number.isSafeInteger(page) && page > current) return page
  throw invalidPage('next', 'must be a link to a later page on the configured origin')
}

function invalidPage(path: string, rule: string): FairleadError {
  return new FairleadError('DECODE_INVALID', { operation: 'GET /v2/projects/', path, rule })
}
