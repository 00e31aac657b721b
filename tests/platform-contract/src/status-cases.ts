import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { routeTable } from './contract-violations.ts'
import { type Caller, keyOf, unauthenticated, sessionOf } from './caller.ts'
import { conflicts, limitedCreations } from './conflicts.ts'
import { validRequests } from './valid-requests.ts'
import type { WireRequest } from './http-exchange.ts'
import type { RequestInput } from './request-input.ts'
import { requestOf, type TestEnvironment } from './test-environment.ts'
import { invalidBodies, invalidQueries } from './invalid-input.ts'

/** A request, and the expected response. */
export interface StatusCase {
  /** The distinguishing property of the request. */
  readonly label: string
  readonly status: number
  readonly request: WireRequest
  /** The field that `fields` of the response must contain. */
  readonly field?: string | undefined
  /** A response header and its expected format. */
  readonly header?: readonly [name: string, form: RegExp] | undefined
  /** Sent to an application other than the default one. */
  readonly application?: 'withoutProvider' | 'providerUnreachable' | 'atLimits' | undefined
}

const maxBodyBytes = 1024 * 1024

/**
 * Returns requests that cause each declared status of an operation that a single request can cause. The successful
 * request comes last.
 */
export async function statusCasesOf(
  id: OperationId,
  environment: TestEnvironment,
): Promise<readonly StatusCase[]> {
  const route = routeTable[id]
  // A separate key, because the test sends many requests.
  const separateKey = await keyOf(environment.fixture.store, environment.home.owner)
  const { caller = separateKey, ...input } = await validRequests[id](environment)
  const valid = requestOf(id, input, caller)
  const isPublic = route.public === true
  const requestWith = (changes: RequestInput, by: Caller = caller) =>
    requestOf(id, { ...input, ...changes }, by)
  const success = Number(Object.keys(route.responses).find((status) => /^[23]/.test(status)))
  const conflict = conflicts[id]
  return [
    ...invalidQueries(route).map(({ field, input: value }) => {
      const query = { ...input.query, ...value }
      // A page that is not a number is treated as a page that does not exist.
      if (field === 'page') return { label: 'no page', status: 404, request: requestWith({ query }) }
      return { label: `query ${JSON.stringify(value)}`, status: 400, field, request: requestWith({ query }) }
    }),
    ...(route.requestBody === undefined ? [] : bodyCases(id, input, valid, requestWith)),
    ...(isPublic ? [] : await unauthenticatedCases(id, valid, requestWith)),
    { label: 'plain HTTP', status: 403, request: withHeaders(valid, { 'x-forwarded-proto': 'http' }) },
    ...(isPublic ? [] : await unauthorizedCases(id, environment, requestWith)),
    ...missingObjectCases(id, input, requestWith),
    ...(route.headers?.['If-Match'] === undefined ? [] : ['"999"', 'W/"1"', '"a"', '1', '']).map((tag) => ({
      label: `If-Match ${tag}`,
      status: 412,
      request: requestWith({ headers: { 'if-match': tag } }),
    })),
    ...specialCases(id, requestWith),
    ...(conflict === undefined ? [] : [await conflictCaseOf(id, environment, conflict)]),
    ...(limitedCreations.includes(id)
      ? [{ label: 'a limit', status: 409, request: valid, application: 'atLimits' } as const]
      : []),
    { label: 'a valid request', status: success, request: valid },
    ...(route.requestBody === undefined ? await unreadBodyCases(id, environment, success) : []),
  ]
}

async function conflictCaseOf(
  id: OperationId,
  environment: TestEnvironment,
  conflict: NonNullable<(typeof conflicts)[OperationId]>,
): Promise<StatusCase> {
  const { caller = environment.home.key, ...input } = await conflict(environment)
  return { label: 'conflict', status: 409, request: requestOf(id, input, caller) }
}

function bodyCases(
  id: OperationId,
  input: RequestInput,
  valid: WireRequest,
  requestWith: (changes: RequestInput) => WireRequest,
): StatusCase[] {
  const { requestBody } = routeTable[id]
  const invalid = invalidBodies(requestBody?.schema ?? {}, input.body as object)
  const { 'content-type': _, ...untyped } = valid.headers
  const long = JSON.stringify({ x: 'x'.repeat(maxBodyBytes) })
  return [
    ...invalid.map(({ field, input: value }) => ({
      label: `body ${JSON.stringify(value).slice(0, 100)}`,
      status: 400,
      field,
      request: requestWith({ body: value }),
    })),
    ...['', '{', '{"a":1,}', "{'a':1}", '\u0000'].map((body) => ({
      label: `body ${body}`,
      status: 400,
      request: { ...valid, body },
    })),
    { label: 'no body', status: 400, request: { ...valid, headers: untyped, body: undefined } },
    { label: 'a long body', status: 413, request: { ...valid, body: long } },
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'].map(
      (type) => ({ label: type, status: 415, request: withHeaders(valid, { 'content-type': type }) }),
    ),
  ]
}

/** Clients may send the content type without a body, and bodies that the operation does not read. */
async function unreadBodyCases(
  id: OperationId,
  environment: TestEnvironment,
  success: number,
): Promise<StatusCase[]> {
  if (routeTable[id].method === 'GET') return []
  const texts = [undefined, '{', 'x'.repeat(maxBodyBytes + 1)]
  return Promise.all(
    texts.map(async (body) => {
      const { caller = environment.home.key, ...input } = await validRequests[id](environment)
      const request = withHeaders(requestOf(id, input, caller), { 'content-type': 'application/json' })
      const label = body === undefined ? 'the type of a body without one' : 'an unexpected body'
      return { label, status: success, request: { ...request, body } }
    }),
  )
}

async function unauthenticatedCases(
  id: OperationId,
  valid: WireRequest,
  requestWith: (changes: RequestInput, by: Caller) => WireRequest,
): Promise<StatusCase[]> {
  const unknownKey = `${'A'.repeat(8)}.${'b'.repeat(32)}`
  const challenge = /^Bearer realm="platform"$/
  const invalidToken = /^Bearer realm="platform", error="invalid_token"$/
  const callers: readonly (readonly [label: string, by: Caller, form: RegExp])[] = [
    ['no credential', unauthenticated, challenge],
    ['a wrong key', { authorization: `Bearer ${unknownKey}` }, invalidToken],
    ['another scheme', { authorization: 'Basic dTpw' }, challenge],
    ['a wrong cookie', { cookie: '__Host-fairlead_session=wrong' }, invalidToken],
  ]
  return callers.map(([label, by, form]) => ({
    label,
    status: 401,
    header: ['www-authenticate', form],
    request: requestWith({ headers: { 'x-forwarded-for': valid.headers['x-forwarded-for'] ?? '' } }, by),
  }))
}

async function unauthorizedCases(
  id: OperationId,
  { fixture: { store }, home }: TestEnvironment,
  requestWith: (changes: RequestInput, by: Caller) => WireRequest,
): Promise<StatusCase[]> {
  const { scopes = [], method } = routeTable[id]
  const { 'x-csrf-token': _, ...cookie } = await sessionOf(store, home.owner)
  const otherScopeKey = await keyOf(store, home.owner, [
    scopes.includes('org:read') ? 'nodes:read' : 'org:read',
  ])
  const lacking = /^Bearer realm="platform", error="insufficient_scope", scope="[a-z:]+"$/
  return [
    {
      label: 'another scope',
      status: 403,
      request: requestWith({}, otherScopeKey),
      // Operations that require a session return a different reason.
      ...(scopes.length > 0 && { header: ['www-authenticate', lacking] as const }),
    },
    ...(method === 'GET'
      ? []
      : [
          { label: 'a cookie alone', status: 403, request: requestWith({}, cookie) },
          {
            label: 'a wrong token',
            status: 403,
            request: requestWith({}, { ...cookie, 'x-csrf-token': 'wrong' }),
          },
        ]),
  ]
}

function missingObjectCases(
  id: OperationId,
  input: RequestInput,
  requestWith: (changes: RequestInput) => WireRequest,
): StatusCase[] {
  const { pathParameters, query } = routeTable[id]
  const { path = {} } = input
  const ids = Object.keys(pathParameters).flatMap((name) => {
    const prefix = (path[name] ?? '').slice(0, 3)
    const missingIds = [
      `${prefix}000-000-000`,
      'nonsense',
      '%',
      '../..',
      '\u0000',
      "' or 1=1 --",
      'x'.repeat(300),
    ]
    return missingIds.map((missingId) => ({
      label: `${name} ${missingId}`,
      status: 404,
      request: requestWith({ path: { ...path, [name]: missingId } }),
    }))
  })
  const pages = query['page'] === undefined ? [] : ['1000000', '9007199254740991']
  return [
    ...ids,
    ...pages.map((page) => ({
      label: `page ${page}`,
      status: 404,
      request: requestWith({ query: { ...input.query, page } }),
    })),
  ]
}

/** Cases that no rule above covers. */
function specialCases(
  id: OperationId,
  requestWith: (changes: RequestInput, by?: Caller) => WireRequest,
): StatusCase[] {
  if (id === 'acceptInvitation') {
    const names = { first_name: 'T', last_name: 'B' }
    const body = { token: 'unknown', password: 'seven bells before the fog', ...names }
    return [{ label: 'an unknown token', status: 404, request: requestWith({ body }) }]
  }
  if (id === 'createSession') {
    const body = { email: 'unknown@example.test', password: 'wrong' }
    return [{ label: 'a wrong password', status: 401, request: requestWith({ body }) }]
  }
  const noProvider = {
    label: 'no provider',
    status: 404,
    request: requestWith({}),
    application: 'withoutProvider',
  } as const
  const unreachableProvider = {
    label: 'an unreachable provider',
    status: 503,
    request: requestWith({}),
    application: 'providerUnreachable',
  } as const
  if (id === 'beginOidcSignIn') return [noProvider, unreachableProvider]
  return id === 'finishOidcSignIn' ? [noProvider] : []
}

function withHeaders(request: WireRequest, headers: WireRequest['headers']): WireRequest {
  return { ...request, headers: { ...request.headers, ...headers } }
}
