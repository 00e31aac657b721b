import type { PlatformFixture } from './platform-fixture.ts'

/** The parts of a response that tests check. */
export interface JsonResponse<body> {
  readonly status: number
  readonly etag: string | undefined
  readonly body: body
}

/** Sends JSON to the platform API and parses the response. */
export type JsonCall = <body = Record<string, unknown>>(
  method: string,
  url: string,
  payload?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<JsonResponse<body>>

/** Creates a function that sends requests with the first API key, or with the one in the headers of a call. */
export function jsonCalls({ call }: Pick<PlatformFixture, 'call'>): JsonCall {
  return async (method, url, payload, headers = {}) => {
    const json = payload === undefined ? {} : { payload: JSON.stringify(payload) }
    const type = payload === undefined ? {} : { 'content-type': 'application/json' }
    const response = await call(url, { method, ...json, headers: { ...type, ...headers } })
    const { etag } = response.headers
    return {
      status: response.statusCode,
      etag: typeof etag === 'string' ? etag : undefined,
      // The type is the test's choice; the response was checked against the contract.
      body: (response.body === '' ? undefined : response.json<unknown>()) as never,
    }
  }
}

/** Builds the path of a node's operation. */
export function nodePath(id: string, ...rest: readonly string[]): string {
  return `/v2/nodes/${[id, ...rest].join('/')}/`
}
