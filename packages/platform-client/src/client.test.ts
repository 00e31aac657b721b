import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createPlatformClient, FairleadError, type Organization, type Project, unwrap } from './index.ts'

const baseUrl = 'https://api.example.com'
const apiKey = 's3cr3tky.01234567890123456789012345678901'

function clientResponding(respond: () => Response | Promise<Response>, base = baseUrl) {
  const sent: Request[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(input as Request)
    return await respond()
  }
  return { platform: createPlatformClient({ baseUrl: base, apiKey, fetch, retries: 0 }), sent }
}

const organization = { id: 'RG-1', name: 'Breakwater Labs' }

async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}

describe('a request', () => {
  it('sends the key as a bearer token', async () => {
    const { platform, sent } = clientResponding(() => Response.json(organization))
    const response = await unwrap(platform.GET('/v1/organization/'))
    expectTypeOf(response).toEqualTypeOf<Organization>()
    expect(response).toEqual(organization)
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  })

  it('sends no key if there is none, and headers that the console adds', async () => {
    const sent: Request[] = []
    const platform = createPlatformClient({
      baseUrl,
      fetch: async (input) => {
        sent.push(input as Request)
        return Response.json(organization)
      },
    })
    platform.use({ onRequest: ({ request }) => request.headers.set('x-csrf-token', 't') })
    await unwrap(platform.GET('/v1/organization/'))
    expect(sent[0]?.headers.has('authorization')).toBe(false)
    expect(sent[0]?.headers.get('x-csrf-token')).toBe('t')
    expect(() => createPlatformClient({ baseUrl, apiKey: '' })).toThrow('apiKey')
  })

  it.each([
    ['https://api.example.com', 'https://api.example.com/v1/organization/'],
    ['https://api.example.com/', 'https://api.example.com/v1/organization/'],
    ['https://example.com/fairlead', 'https://example.com/fairlead/v1/organization/'],
    ['http://127.0.0.1:8645', 'http://127.0.0.1:8645/v1/organization/'],
  ])('preserves the trailing slash of the path and the prefix of %s', async (base, url) => {
    const { platform, sent } = clientResponding(() => Response.json(organization), base)
    await platform.GET('/v1/organization/')
    expect(sent[0]?.url).toBe(url)
  })

  it('serializes every query parameter by its name in the specification', async () => {
    const { platform, sent } = clientResponding(() =>
      Response.json({ count: 0, next: null, previous: null, results: [] }),
    )
    const query = { order_by: '-name', page: 2, organization: 'RG-1', name: 'a b&c', type: 'public' } as const
    await platform.GET('/v2/projects/', { params: { query } })
    const url = new URL(sent[0]?.url ?? '')
    expect(url.pathname).toBe('/v2/projects/')
    expect(Object.fromEntries(url.searchParams)).toEqual({ ...query, page: '2' })
  })

  it('sends a new project as JSON, without retries', async () => {
    const { platform, sent } = clientResponding(() => new Response('busy', { status: 503 }))
    const error = await failure(unwrap(platform.POST('/v2/projects/', { body: { name: 'Harbour' } })))
    expect(error.code).toBe('HTTP_STATUS')
    expect(sent).toHaveLength(1)
    expect(sent[0]?.headers.get('content-type')).toBe('application/json')
    expect(await sent[0]?.json()).toEqual({ name: 'Harbour' })
  })

  it('is typed by paths, parameters and results', () => {
    const { platform } = clientResponding(() => Response.json(organization))
    const calls = async () => {
      // @ts-expect-error no such path
      await platform.GET('/v3/projects/')
      // @ts-expect-error the slash at the end is part of the path
      await platform.GET('/v2/projects')
      // @ts-expect-error no such order
      await platform.GET('/v2/projects/', { params: { query: { order_by: 'members' } } })
      // @ts-expect-error a project needs a name
      await platform.POST('/v2/projects/', { body: {} })
    }
    expectTypeOf(calls).returns.resolves.toBeVoid()
    expectTypeOf<Project['type']>().toEqualTypeOf<'public'>()
    expectTypeOf<Project['creator']['organization']['id']>().toBeString()
  })
})

describe('a failure', () => {
  const body = { error: { code: 'not_found', message: 'Invalid page.', request_id: '01KJ' } }

  it('is the error body of the response until it is unwrapped', async () => {
    const { platform } = clientResponding(() => Response.json(body, { status: 404 }))
    const { data, error, response } = await platform.GET('/v2/projects/')
    expect(data).toBeUndefined()
    expect(error?.error.code).toBe('not_found')
    expect(response.status).toBe(404)
  })

  it('contains operation, status, message and request id', async () => {
    const { platform } = clientResponding(() =>
      Response.json(body, { status: 404, headers: { 'x-request-id': '01KJ' } }),
    )
    const error = await failure(unwrap(platform.GET('/v2/projects/')))
    expect(error.details).toEqual({
      operation: 'GET /v2/projects/',
      status: 404,
      detail: 'Invalid page.',
      requestId: '01KJ',
    })
  })

  it('is DECODE_INVALID when a successful response is not JSON', async () => {
    const { platform } = clientResponding(() => new Response(`<html>${apiKey}</html>`))
    const error = await failure(unwrap(platform.GET('/v1/organization/')))
    expect(error.code).toBe('DECODE_INVALID')
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(apiKey)
  })

  it('does not contain the key', async () => {
    const leaky = { error: { code: 'x', message: `key ${apiKey}`, request_id: 'r' } }
    const handlers: (() => Response | Promise<Response>)[] = [
      () => Response.json(leaky, { status: 403 }),
      () => Promise.reject(new TypeError(`fetch failed ${apiKey}`, { cause: new Error(apiKey) })),
    ]
    for (const respond of handlers) {
      const error = await failure(unwrap(clientResponding(respond).platform.GET('/v1/organization/')))
      const forms = [
        String(error),
        error.stack,
        JSON.stringify(error),
        inspect(error, { depth: null, showHidden: true }),
      ]
      expect(forms.join('\n')).not.toContain(apiKey)
    }
  })

  it('is the abort reason of the caller', async () => {
    const { platform } = clientResponding(() => Response.json(organization))
    const reason = new Error('enough')
    const call = platform.GET('/v1/organization/', { signal: AbortSignal.abort(reason) })
    await expect(unwrap(call)).rejects.toBe(reason)
  })
})

describe('the options', () => {
  it.each([
    'http://api.example.com',
    'http://127.example.com',
    'http://localhost.example.com',
    'http://localhost:80@api.example.com',
    'https://user:s3cr3t@api.example.com',
    'https://api.example.com?key=s3cr3t',
    'https://api.example.com#s3cr3t',
    'https://',
    'api.example.com',
    'ftp://api.example.com',
    '',
  ])('reject the URL %s without showing it', (address) => {
    const attempt = () => createPlatformClient({ baseUrl: address, apiKey })
    expect(attempt).toThrow(
      /^Invalid value of baseUrl: must be https[a-z, ]+\. Correct the value\. \(CONFIG_INVALID, https:[\w#./-]+\)$/,
    )
  })

  it.each([
    'http://localhost:8645',
    'http://127.0.0.1',
    'http://[::1]:8645/',
    'https://api.example.com/prefix/',
  ])('accept the URL %s', (address) => {
    expect(createPlatformClient({ baseUrl: address, apiKey }).baseUrl).toBe(address)
  })

  it.each(['', 's3cr3t\nx-evil: 1', 's3cr3t…', 's3cr3t key'])(
    'reject the key %j, which is invalid in a header, without showing it',
    (key) => {
      const attempt = () => createPlatformClient({ baseUrl, apiKey: key })
      expect(attempt).toThrow('Invalid value of apiKey: ')
      expect(attempt).not.toThrow('s3cr3t')
    },
  )
})
