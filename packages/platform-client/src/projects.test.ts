import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createPlatformClient } from './client.ts'
import { FairleadError } from './index.ts'
import { projects, type ProjectsQuery } from './projects.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

type Handler = (request: IncomingMessage, origin: string) => unknown

/** A platform that responds to each request with the result of `answer`, as JSON. */
async function startPlatform(handler: Handler, prefix = '') {
  const requests: { url: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    requests.push({ url, authorization: headers.authorization })
    const body = JSON.stringify(handler(request, `http://${headers.host}`))
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    requests,
    platform: createPlatformClient({ baseUrl: origin + prefix, apiKey: 'k3y', retries: 0 }),
  }
}

const pageOf = ({ url = '' }: IncomingMessage) =>
  Number(new URL(url, 'http://x').searchParams.get('page') ?? 1)
const list = (page: number, next: unknown) => ({
  count: 6,
  next,
  previous: null,
  results: [{ id: `PR-${2 * page - 1}` }, { id: `PR-${2 * page}` }],
})

/** Three pages whose links `link` creates. */
const threePages =
  (link: (origin: string, page: number) => string): Handler =>
  (request, origin) => {
    const page = pageOf(request)
    return list(page, page < 3 ? link(origin, page + 1) : null)
  }

async function ids(source: AsyncIterable<{ id: string }>): Promise<string[]> {
  const received: string[] = []
  for await (const { id } of source) received.push(id)
  return received
}

const all = ['PR-1', 'PR-2', 'PR-3', 'PR-4', 'PR-5', 'PR-6']

describe('projects', () => {
  it('requests page after page, each with the filters and the key', async () => {
    const { platform, requests } = await startPlatform(
      threePages((origin, page) => `${origin}/v2/projects/?order_by=-name&type=public&page=${page}`),
    )
    const query: ProjectsQuery = { order_by: '-name', type: 'public' }
    expect(await ids(projects(platform, query))).toEqual(all)
    expect(requests.map(({ url }) => url)).toEqual(
      [1, 2, 3].map((page) => `/v2/projects/?order_by=-name&type=public&page=${page}`),
    )
    expect(requests.every(({ authorization }) => authorization === 'Bearer k3y')).toBe(true)
  })

  it('requests a page only when it is read', async () => {
    const { platform, requests } = await startPlatform(
      threePages((origin, page) => `${origin}/v2/projects/?page=${page}`),
    )
    for await (const { id } of projects(platform)) {
      if (id === 'PR-2') break
    }
    expect(requests).toHaveLength(1)
  })

  it('resolves a link without an origin on the configured origin', async () => {
    const { platform } = await startPlatform(threePages((_, page) => `/v2/projects/?page=${page}`))
    expect(await ids(projects(platform))).toEqual(all)
  })

  it('preserves the prefix of its URL', async () => {
    const { platform, requests } = await startPlatform(
      threePages((origin, page) => `${origin}/fairlead/v2/projects/?page=${page}`),
      '/fairlead',
    )
    expect(await ids(projects(platform))).toEqual(all)
    expect(requests.every(({ url }) => url.startsWith('/fairlead/v2/projects/?page='))).toBe(true)
  })

  it('never sends anything to another origin', async () => {
    const elsewhere = await startPlatform(() => list(2, null))
    const { platform, requests } = await startPlatform(() =>
      list(1, `${elsewhere.origin}/v2/projects/?page=2`),
    )
    const error = await ids(projects(platform)).catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe('next')
    expect(elsewhere.requests).toHaveLength(0)
    expect(requests).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    ['no page', '/v2/projects/'],
    ['a page that is not a number', '/v2/projects/?page=two'],
    ['a fractional page', '/v2/projects/?page=2.5'],
    ['an infinite page', '/v2/projects/?page=Infinity'],
    ['the page just read', '/v2/projects/?page=1'],
    ['a page before the first', '/v2/projects/?page=-1'],
    ['no URL', 'http://['],
    ['a number', 2],
    ['undefined', undefined],
  ])('rejects a link to %s', async (_, next) => {
    const { platform, requests } = await startPlatform(() => list(1, next))
    const error = await ids(projects(platform)).catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe('next')
    expect(requests).toHaveLength(1)
  })

  it('does not read the same page repeatedly', async () => {
    const { platform, requests } = await startPlatform((request) =>
      list(pageOf(request), '/v2/projects/?page=2'),
    )
    await expect(ids(projects(platform))).rejects.toThrow('DECODE_INVALID')
    expect(requests).toHaveLength(2)
  })

  it('rejects a page without results', async () => {
    const { platform } = await startPlatform(() => ({ count: 0 }))
    const error = await ids(projects(platform)).catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe('results')
  })

  it('yields nothing for an empty list', async () => {
    const { platform } = await startPlatform(() => ({
      count: 0,
      next: null,
      previous: null,
      results: [],
    }))
    expect(await ids(projects(platform))).toEqual([])
  })
})
