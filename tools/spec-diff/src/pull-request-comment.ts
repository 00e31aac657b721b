import { callGithub, GithubError, type GithubPlace, listOnGithub, shortened } from './github/index.ts'
import { nothingChanged } from './report/markdown.ts'

/** The target of a report. */
export interface PullRequest extends GithubPlace {
  readonly number: string
}

const mark = '<!-- specification changes -->'
const ending = 'The whole report stands in the summary of the job.'

/**
 * Posts a report as a comment on a pull request, and replaces an existing one.
 *
 * @returns the outcome; a pull request from a fork has read-only access, so nothing is posted there
 * @throws Error with the status of an unexpected response
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
