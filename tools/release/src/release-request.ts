import { callGithub, type GithubPlace } from '@fairlead/spec-diff/github'
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
  place: GithubPlace,
  { branch, base, title, body }: ReleaseRequest,
): Promise<'opened' | 'renewed'> {
  const pulls = `repos/${place.repository}/pulls`
  const [owner = ''] = place.repository.split('/')
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}`, base })
  const [open] = (await callGithub(place, 'GET', `${pulls}?${query}`)) as readonly {
    readonly number: number
  }[]
  if (open) await callGithub(place, 'PATCH', `${pulls}/${open.number}`, { title, body })
  else await callGithub(place, 'POST', pulls, { title, body, head: branch, base })
  return open ? 'renewed' : 'opened'
}
