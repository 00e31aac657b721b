import { callGithub, type GithubTarget } from '@fairlead/spec-diff/github'
import type { ReleaseText } from './release-text.ts'

/** A release pull request. */
export interface ReleaseRequest extends ReleaseText {
  readonly branch: string
  /** The base branch. */
  readonly base: string
}

/**
 * Opens the pull request of a branch, or updates the text of an open one.
 *
 * @throws Error with the status when GitHub rejects the request
 */
export async function openReleaseRequest(
  target: GithubTarget,
  { branch, base, title, body }: ReleaseRequest,
): Promise<'opened' | 'updated'> {
  const pulls = `repos/${target.repository}/pulls`
  const [owner = ''] = target.repository.split('/')
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}`, base })
  const [open] = (await callGithub(target, 'GET', `${pulls}?${query}`)) as readonly {
    readonly number: number
  }[]
  if (open) await callGithub(target, 'PATCH', `${pulls}/${open.number}`, { title, body })
  else await callGithub(target, 'POST', pulls, { title, body, head: branch, base })
  return open ? 'updated' : 'opened'
}
