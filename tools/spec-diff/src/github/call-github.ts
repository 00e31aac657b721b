/** A repository on GitHub, and the credential for it. */
export interface GithubTarget {
  /** URL of the GitHub API. */
  readonly api: string
  /** `owner/name`. */
  readonly repository: string
  readonly token: string
}

/** An error response or failure of GitHub. */
export class GithubError extends Error {
  readonly status: number

  constructor(status: number, method: string, path: string) {
    super(`GitHub responded with ${status} to ${method} ${path}`)
    this.status = status
  }
}

const timeoutMs = 30_000
const pageSize = 100

/**
 * Calls the GitHub API.
 *
 * @param path - below the URL of the API
 * @returns the body of the response
 * @throws GithubError when the status is not 2xx
 * @throws Error when there is no response within half a minute
 */
export async function callGithub(
  { api, token }: GithubTarget,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${api}/${path}`, {
    method,
    headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new GithubError(response.status, method, path)
  return response.json()
}

/**
 * Reads all pages of a list of the GitHub API.
 *
 * @param path - below the URL of the API, without a query
 * @throws GithubError when a status is not 2xx
 */
export async function listOnGithub(target: GithubTarget, path: string): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (let page = 1; ; page += 1) {
    const query = `per_page=${pageSize}&page=${page}`
    const items = (await callGithub(target, 'GET', `${path}?${query}`)) as readonly unknown[]
    all.push(...items)
    if (items.length < pageSize) return all
  }
}
