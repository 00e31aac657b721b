import type { paths } from '@fairlead/platform-client'
import createFetchClient from 'openapi-fetch'
import { problemOf } from './problem.ts'

// State of the current session, and its callbacks.
let csrfToken: string | undefined
let sessionEnded: () => void = () => {}
let sessionReplaced: () => void = () => {}

/**
 * Sets the session of the following calls, or none.
 *
 * @param token - the session's `csrf_token`
 * @param onEnd - called when the session is no longer valid
 * @param onReplaced - called when another session has been started in another window of this browser
 */
export function callAs(token: string | undefined, onEnd: () => void, onReplaced: () => void = onEnd): void {
  csrfToken = token
  sessionEnded = onEnd
  sessionReplaced = onReplaced
}

const safeMethods = new Set(['GET', 'HEAD'])

/** The platform API at the origin of this page, called with the session cookie. */
export const platform = createFetchClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' })

platform.use({
  onRequest({ request }) {
    if (csrfToken !== undefined && !safeMethods.has(request.method))
      request.headers.set('X-CSRF-Token', csrfToken)
    return request
  },
  onResponse({ response }) {
    if (response.status === 401 && csrfToken !== undefined) sessionEnded()
  },
})

interface ApiResponse<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/**
 * The body of a response.
 *
 * @throws Problem when it is not 2xx
 */
export async function bodyOf<Data>(call: Promise<ApiResponse<Data>>): Promise<Data> {
  return (await versionOf(call)).value
}

/** An object and its version (ETag), for a conditional change. */
export interface Version<Value> {
  readonly value: Value
  readonly etag: string | undefined
}

/**
 * The body of a response with its version.
 *
 * @throws Problem when it is not 2xx
 */
export async function versionOf<Data>(call: Promise<ApiResponse<Data>>): Promise<Version<Data>> {
  const { data, error, response } = await call
  if (!response.ok) {
    const problem = problemOf(response, error)
    if (problem.code === 'csrf_failed') sessionReplaced()
    throw problem
  }
  // A response without a body is undefined, as its type declares.
  return { value: data as Data, etag: response.headers.get('etag') ?? undefined }
}

/** The header that makes a change fail when the object has been changed in the meantime. */
export function ifMatch(etag: string | undefined): { readonly 'If-Match'?: string } {
  return etag === undefined ? {} : { 'If-Match': etag }
}
