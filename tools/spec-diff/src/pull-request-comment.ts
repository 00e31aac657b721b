import { callGithub, GithubError, type GithubPlace, listOnGithub, shortened } from './github/index.ts'
import { nothingChanged } from './report/markdown.ts'

/** Where a report goes. */
export interface PullRequest extends GithubPlace {
  readonly number: string
}

const mark = '<!-- specification changes -->'
const ending = 'The whole report stands in the summary of the job.'

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
  const known = (await listOnGithub(place, comments)) as readonly {
    readonly id: number
    readonly body: string
  }[]
  const own = known.find(({ body }) => body.startsWith(mark))
  if (!own && report.includes(nothingChanged)) return 'not needed'
  const body = `${mark}\n${shortened(report, ending)}`
  try {
    if (own) await callGithub(place, 'PATCH', `repos/${repository}/issues/comments/${own.id}`, { body })
    else await callGithub(place, 'POST', comments, { body })
  } catch (error) {
    if (error instanceof GithubError && error.status === 403) return 'not allowed'
    throw error
  }
  return own ? 'replaced' : 'written'
}
