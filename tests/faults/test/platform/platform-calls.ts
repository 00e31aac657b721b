/** A response body of the platform API, limited to the fields that the tests read. */
export interface PlatformObject {
  readonly id: string
  readonly [name: string]: unknown
}

/** A response of the platform API. */
export interface PlatformResponse {
  readonly status: number
  readonly etag: string | undefined
  readonly body: PlatformObject
}

/** Sends one request to the platform API. Rejects when the gateway is not running. */
export async function callPlatform(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<PlatformResponse> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    etag: response.headers.get('etag') ?? undefined,
    body: (text === '' ? {} : JSON.parse(text)) as PlatformObject,
  }
}

/** Reads whole lists, with as many API keys as necessary, because each key has a request limit. */
export function openReader(gateway: { readonly url: string; readonly apiKey: string }): {
  get(path: string): Promise<PlatformResponse>
  list(path: string): Promise<readonly PlatformObject[]>
} {
  let apiKey = ''
  let left = 0
  const get = async (path: string) => {
    if (left === 0) {
      const scopes = ['projects:read', 'nodes:read', 'credentials:read', 'audit:read']
      const made = await callPlatform(gateway, 'POST', '/v1/api-keys/', { name: 'Reader', scopes })
      if (made.status !== 201) throw new Error(`No key was made: ${made.status} ${JSON.stringify(made.body)}`)
      apiKey = String(made.body['key'])
      left = 500
    }
    left -= 1
    const response = await callPlatform({ ...gateway, apiKey }, 'GET', path)
    if (response.status >= 400 && response.status !== 404) {
      throw new Error(`${path} returned ${response.status}: ${JSON.stringify(response.body)}`)
    }
    return response
  }
  return {
    get,
    list: async (path) => {
      const results: PlatformObject[] = []
      for (let page = 1; ; page++) {
        const { body } = await get(`${path}${path.includes('?') ? '&' : '?'}page=${page}`)
        results.push(...(body['results'] as PlatformObject[]))
        if (body['next'] === null) return results
      }
    },
  }
}
