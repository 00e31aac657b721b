import type { paths } from '@fairlead/platform-client'
import createFetchClient from 'openapi-fetch'
import { problemOf } from './problem.ts'

// Of the session that calls are made in, and who hears what becomes of it.
let csrfToken: string | undefined
let sessionEnded: () => void = () => {}
let sessionReplaced: () => void = () => {}

/**
 * Makes the calls that follow those of a session, or of nobody.
 *
 * @param token - the session's `csrf_token`
 * @param onEnd - hears that the service knows the session no longer
 * @param onReplaced - hears that another session was begun in another window of this browser
 */
export function callAs(token: string | undefined, onEnd: () => void, onReplaced: () => void = onEnd): void {
  csrfToken = token
  sessionEnded = onEnd
  sessionReplaced = onReplaced
}

const safeMethods = new Set(['GET', 'HEAD'])

/** The platform API of the service that this page came from, called with the session's cookie. */
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

interface Answer<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/**
 * The body of an answer.
 *
 * @throws Problem when it is not 2xx
 */
export async function bodyOf<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  return (await versionOf(call)).value
}

/** An object and the version to name when it is changed. */
export interface Version<Value> {
  readonly value: Value
  readonly etag: string | undefined
}

/**
 * The body of an answer with its version.
 *
 * @throws Problem when it is not 2xx
 */
export async function versionOf<Data>(call: Promise<Answer<Data>>): Promise<Version<Data>> {
  const { data, error, response } = await call
  if (!response.ok) {
    const problem = problemOf(response, error)
    if (problem.code === 'csrf_failed') sessionReplaced()
    throw problem
  }
  // An answer without a body is undefined, as its type says.
  return { value: data as Data, etag: response.headers.get('etag') ?? undefined }
}

/** The header by which a change is refused when somebody else was faster. */
export function ifMatch(etag: string | undefined): { readonly 'If-Match'?: string } {
  return etag === undefined ? {} : { 'If-Match': etag }
}
