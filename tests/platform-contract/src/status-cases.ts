import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { routeTable } from './contract-violations.ts'
import { type Caller, keyOf, nobody, sessionOf } from './caller.ts'
import { conflicts } from './conflicts.ts'
import { goodRequests } from './valid-requests.ts'
import type { WireRequest } from './http-exchange.ts'
import type { Given } from './request-input.ts'
import { requestOf, type World } from './test-environment.ts'
import { wrongBodies, wrongQueries } from './invalid-input.ts'

/** A request, and the expected response. */
export interface Provocation {
  /** The distinguishing property of the request. */
  readonly of: string
  readonly status: number
  readonly request: WireRequest
  /** The field that `fields` of the response must contain. */
  readonly field?: string | undefined
  /** A response header and its expected format. */
  readonly header?: readonly [name: string, form: RegExp] | undefined
  /** Sent to an application other than the default one. */
  readonly to?: 'withoutProvider' | 'providerAway' | undefined
}

const longestBody = 1024 * 1024

/**
 * Returns requests that provoke each declared status of an operation that a single request can provoke. The successful
 * request comes last.
 */
export async function provocationsOf(id: OperationId, world: World): Promise<readonly Provocation[]> {
  const route = routeTable[id]
  // A separate key, because the test sends many requests.
  const ownKey = await keyOf(world.fixture.store, world.home.owner)
  const { caller = ownKey, ...given } = await goodRequests[id](world)
  const good = requestOf(id, given, caller)
  const isPublic = route.public === true
  const to = (changes: Given, by: Caller = caller) => requestOf(id, { ...given, ...changes }, by)
  const success = Number(Object.keys(route.responses).find((status) => /^[23]/.test(status)))
  const conflict = conflicts[id]
  return [
    ...wrongQueries(route).map(({ field, input }) => {
      const query = { ...given.query, ...input }
      // A page that is not a number is treated as a page that does not exist.
      if (field === 'page') return { of: 'no page', status: 404, request: to({ query }) }
      return { of: `query ${JSON.stringify(input)}`, status: 400, field, request: to({ query }) }
    }),
    ...(route.requestBody === undefined ? [] : bodies(id, given, good, to)),
    ...(isPublic ? [] : await strangers(id, good, to)),
    { of: 'plain HTTP', status: 403, request: withHeaders(good, { 'x-forwarded-proto': 'http' }) },
    ...(isPublic ? [] : await notAllowed(id, world, to)),
    ...missing(id, given, to),
    ...(route.headers?.['If-Match'] === undefined ? [] : ['"999"', 'W/"1"', '"a"', '1', '']).map((tag) => ({
      of: `If-Match ${tag}`,
      status: 412,
      request: to({ headers: { 'if-match': tag } }),
    })),
    ...special(id, to),
    ...(conflict === undefined ? [] : [await conflictOf(id, world, conflict)]),
    { of: 'a good request', status: success, request: good },
    ...(route.requestBody === undefined ? await unreadBodies(id, world, success) : []),
  ]
}

async function conflictOf(
  id: OperationId,
  world: World,
  conflict: NonNullable<(typeof conflicts)[OperationId]>,
): Promise<Provocation> {
  const { caller = world.home.key, ...given } = await conflict(world)
  return { of: 'conflict', status: 409, request: requestOf(id, given, caller) }
}

function bodies(
  id: OperationId,
  given: Given,
  good: WireRequest,
  to: (changes: Given) => WireRequest,
): Provocation[] {
  const { requestBody } = routeTable[id]
  const wrong = wrongBodies(requestBody?.schema ?? {}, given.body as object)
  const { 'content-type': _, ...untyped } = good.headers
  const long = JSON.stringify({ x: 'x'.repeat(longestBody) })
  return [
    ...wrong.map(({ field, input }) => ({
      of: `body ${JSON.stringify(input).slice(0, 100)}`,
      status: 400,
      field,
      request: to({ body: input }),
    })),
    ...['', '{', '{"a":1,}', "{'a':1}", '\u0000'].map((body) => ({
      of: `body ${body}`,
      status: 400,
      request: { ...good, body },
    })),
    { of: 'no body', status: 400, request: { ...good, headers: untyped, body: undefined } },
    { of: 'a long body', status: 413, request: { ...good, body: long } },
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'].map(
      (type) => ({ of: type, status: 415, request: withHeaders(good, { 'content-type': type }) }),
    ),
  ]
}

/** Clients may send the content type without a body, and bodies that the operation does not read. */
async function unreadBodies(id: OperationId, world: World, success: number): Promise<Provocation[]> {
  if (routeTable[id].method === 'GET') return []
  const texts = [undefined, '{', 'x'.repeat(longestBody + 1)]
  return Promise.all(
    texts.map(async (body) => {
      const { caller = world.home.key, ...given } = await goodRequests[id](world)
      const request = withHeaders(requestOf(id, given, caller), { 'content-type': 'application/json' })
      const of = body === undefined ? 'the type of a body without one' : 'a body that nobody asked for'
      return { of, status: success, request: { ...request, body } }
    }),
  )
}

async function strangers(
  id: OperationId,
  good: WireRequest,
  to: (changes: Given, by: Caller) => WireRequest,
): Promise<Provocation[]> {
  const wrongKey = `${'A'.repeat(8)}.${'b'.repeat(32)}`
  const challenge = /^Bearer realm="platform"$/
  const refusal = /^Bearer realm="platform", error="invalid_token"$/
  const callers: readonly (readonly [of: string, by: Caller, form: RegExp])[] = [
    ['nobody', nobody, challenge],
    ['a wrong key', { authorization: `Bearer ${wrongKey}` }, refusal],
    ['another scheme', { authorization: 'Basic dTpw' }, challenge],
    ['a wrong cookie', { cookie: '__Host-fairlead_session=wrong' }, refusal],
  ]
  return callers.map(([of, by, form]) => ({
    of,
    status: 401,
    header: ['www-authenticate', form],
    request: to({ headers: { 'x-forwarded-for': good.headers['x-forwarded-for'] ?? '' } }, by),
  }))
}

async function notAllowed(
  id: OperationId,
  { fixture: { store }, home }: World,
  to: (changes: Given, by: Caller) => WireRequest,
): Promise<Provocation[]> {
  const { scopes = [], method } = routeTable[id]
  const { 'x-csrf-token': _, ...cookie } = await sessionOf(store, home.owner)
  const other = await keyOf(store, home.owner, [scopes.includes('org:read') ? 'nodes:read' : 'org:read'])
  const lacking = /^Bearer realm="platform", error="insufficient_scope", scope="[a-z:]+"$/
  return [
    {
      of: 'another scope',
      status: 403,
      request: to({}, other),
      // Operations that require a session return a different reason.
      ...(scopes.length > 0 && { header: ['www-authenticate', lacking] as const }),
    },
    ...(method === 'GET'
      ? []
      : [
          { of: 'a cookie alone', status: 403, request: to({}, cookie) },
          { of: 'a wrong token', status: 403, request: to({}, { ...cookie, 'x-csrf-token': 'wrong' }) },
        ]),
  ]
}

function missing(id: OperationId, given: Given, to: (changes: Given) => WireRequest): Provocation[] {
  const { pathParameters, query } = routeTable[id]
  const { path = {} } = given
  const ids = Object.keys(pathParameters).flatMap((name) => {
    const prefix = (path[name] ?? '').slice(0, 3)
    const others = [
      `${prefix}000-000-000`,
      'nonsense',
      '%',
      '../..',
      '\u0000',
      "' or 1=1 --",
      'x'.repeat(300),
    ]
    return others.map((other) => ({
      of: `${name} ${other}`,
      status: 404,
      request: to({ path: { ...path, [name]: other } }),
    }))
  })
  const pages = query['page'] === undefined ? [] : ['1000000', '9007199254740991']
  return [
    ...ids,
    ...pages.map((page) => ({
      of: `page ${page}`,
      status: 404,
      request: to({ query: { ...given.query, page } }),
    })),
  ]
}

/** Cases that no rule above covers. */
function special(id: OperationId, to: (changes: Given, by?: Caller) => WireRequest): Provocation[] {
  if (id === 'acceptInvitation') {
    const names = { first_name: 'T', last_name: 'B' }
    const body = { token: 'unknown', password: 'seven bells before the fog', ...names }
    return [{ of: 'an unknown token', status: 404, request: to({ body }) }]
  }
  if (id === 'createSession') {
    const body = { email: 'nobody@example.test', password: 'wrong' }
    return [{ of: 'a wrong password', status: 401, request: to({ body }) }]
  }
  const none = { of: 'no provider', status: 404, request: to({}), to: 'withoutProvider' } as const
  const away = { of: 'a provider that is away', status: 503, request: to({}), to: 'providerAway' } as const
  if (id === 'beginOidcSignIn') return [none, away]
  return id === 'finishOidcSignIn' ? [none] : []
}

function withHeaders(request: WireRequest, headers: WireRequest['headers']): WireRequest {
  return { ...request, headers: { ...request.headers, ...headers } }
}
