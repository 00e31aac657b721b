/** A repository on GitHub, and who asks. */
export interface GithubPlace {
  /** Address of GitHub's API. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  readonly token: string
}

/** A refusal or failure of GitHub. */
export class GithubError extends Error {
  readonly status: number

  constructor(status: number, method: string, path: string) {
    super(`GitHub answered ${status} to ${method} ${path}`)
    this.status = status
  }
}

/**
 * Calls GitHub's API.
 *
 * @param path - below the address of the API
 * @returns the body of the answer
 * @throws GithubError when the answer is not 2xx
 */
export async function callGithub(
  { api, token }: GithubPlace,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${api}/${path}`, {
    method,
    headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new GithubError(response.status, method, path)
  return response.json()
}
