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

const patienceMs = 30_000
const pageSize = 100

/**
 * Calls GitHub's API.
 *
 * @param path - below the address of the API
 * @returns the body of the answer
 * @throws GithubError when the answer is not 2xx
 * @throws Error when there is none within half a minute
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
    signal: AbortSignal.timeout(patienceMs),
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new GithubError(response.status, method, path)
  return response.json()
}

/**
 * Reads a list of GitHub's API to its last page.
 *
 * @param path - below the address of the API, without a query
 * @throws GithubError when an answer is not 2xx
 */
export async function listOnGithub(place: GithubPlace, path: string): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (let page = 1; ; page += 1) {
    const query = `per_page=${pageSize}&page=${page}`
    const items = (await callGithub(place, 'GET', `${path}?${query}`)) as readonly unknown[]
    all.push(...items)
    if (items.length < pageSize) return all
  }
}
