import { callGithub, GithubError, type GithubTarget, listOnGithub, shortened } from './github/index.ts'
import { nothingChanged } from './report/markdown.ts'

/** The target of a report. */
export interface PullRequest extends GithubTarget {
  readonly number: string
}

const mark = '<!-- specification changes -->'
const ending = 'The job summary contains the full report.'

/**
 * Posts a report as a comment on a pull request, and replaces an existing one.
 *
 * @returns the outcome; a pull request from a fork has read-only access, so nothing is posted there
 * @throws Error with the status of an unexpected response
 */
export async function comment(
  target: PullRequest,
  report: string,
): Promise<'written' | 'replaced' | 'not needed' | 'not allowed'> {
  const { repository, number } = target
  const comments = `repos/${repository}/issues/${number}/comments`
  const existingComments = (await listOnGithub(target, comments)) as readonly {
    readonly id: number
    readonly body: string
  }[]
  const existing = existingComments.find(({ body }) => body.startsWith(mark))
  if (!existing && report.includes(nothingChanged)) return 'not needed'
  const body = `${mark}\n${shortened(report, ending)}`
  try {
    if (existing)
      await callGithub(target, 'PATCH', `repos/${repository}/issues/comments/${existing.id}`, { body })
    else await callGithub(target, 'POST', comments, { body })
  } catch (error) {
    if (error instanceof GithubError && error.status === 403) return 'not allowed'
    throw error
  }
  return existing ? 'replaced' : 'written'
}
