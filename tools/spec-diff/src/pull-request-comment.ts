import { nothingChanged } from './report/markdown.ts'

/** Where a report goes. */
export interface PullRequest {
  /** Address of GitHub's API. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  readonly number: string
  readonly token: string
}

const mark = '<!-- specification changes -->'
// GitHub takes no comment that is longer than 65,536 characters.
const longest = 60_000

/**
 * Puts a report under a pull request, in place of the one that stands there already.
 *
 * @returns what happened: a request from a fork may read only, so nothing is written there
 * @throws Error with the status of an unexpected answer
 */
export async function comment(
  place: PullRequest,
  report: string,
): Promise<'written' | 'replaced' | 'not needed' | 'not allowed'> {
  const { repository, number } = place
  const comments = `repos/${repository}/issues/${number}/comments`
  const known = (await call(place, 'GET', `${comments}?per_page=100`)) as
    | readonly { readonly id: number; readonly body: string }[]
    | undefined
  const own = known?.find(({ body }) => body.startsWith(mark))
  if (!own && report.includes(nothingChanged)) return 'not needed'
  const body = `${mark}\n${shortened(report)}`
  const answer = own
    ? await call(place, 'PATCH', `repos/${repository}/issues/comments/${own.id}`, { body })
    : await call(place, 'POST', comments, { body })
  if (answer === undefined) return 'not allowed'
  return own ? 'replaced' : 'written'
}

function shortened(report: string): string {
  if (report.length <= longest) return report
  // A table that ends within a row would swallow the words below it.
  const end = report.lastIndexOf('\n', longest)
  return `${report.slice(0, end)}\n\nThe whole report stands in the summary of the job.\n`
}

async function call(
  { api, token }: PullRequest,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${api}/${path}`, {
    method,
    headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.status === 403) return undefined
  if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${method} ${path}`)
  return response.json()
}
