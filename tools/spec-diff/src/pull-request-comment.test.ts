import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { comment, type PullRequest } from './pull-request-comment.ts'
import { markdownReport } from './report/markdown.ts'

const comments = new Map<number, string>()
let status = 200
let server: Server | undefined
let place: PullRequest = { api: '', repository: 'fairlead-dev/fairlead', number: '7', token: 't0k3n' }

beforeAll(async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://github')
    const id = Number(/comments\/(\d+)$/.exec(pathname)?.[1] ?? comments.size + 1)
    const isAllowed = request.headers.authorization === 'Bearer t0k3n' && status === 200
    response.statusCode = isAllowed || request.method === 'GET' ? 200 : status
    if (isAllowed && request.method !== 'GET') comments.set(id, (JSON.parse(body) as { body: string }).body)
    const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name))) as [
      number,
      number,
    ]
    const shown = [...comments].slice(size * (page - 1), size * page)
    response.end(JSON.stringify(shown.map(([key, value]) => ({ id: key, body: value }))))
  }
  server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  place = { ...place, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

beforeEach(() => {
  comments.clear()
  status = 200
})

afterAll(() => {
  server?.close()
})

describe('the comment under a pull request', () => {
  it('is one, which newer reports replace', async () => {
    comments.set(1, 'Looks good.')
    expect(await comment(place, 'First.')).toBe('written')
    expect(await comment(place, 'Second.')).toBe('replaced')
    expect([...comments.values()]).toEqual(['Looks good.', '<!-- specification changes -->\nSecond.'])
  })

  it('is found behind hundreds of others', async () => {
    for (let id = 1; id <= 200; id += 1) comments.set(id, 'Looks good.')
    expect(await comment(place, 'First.')).toBe('written')
    expect(await comment(place, 'Second.')).toBe('replaced')
    expect(comments.size).toBe(201)
  })

  it('ends with a whole line where the report is too long', async () => {
    await comment(place, '| row | of a table |\n'.repeat(4_000))
    const [written = ''] = comments.values()
    expect(written.length).toBeLessThan(65_536)
    expect(written).toMatch(
      /\| row \| of a table \|\n\nThe whole report stands in the summary of the job\.\n$/,
    )
  })

  it('is not begun by a report without changes, but ends with one', async () => {
    const nothing = markdownReport([])
    expect(await comment(place, nothing)).toBe('not needed')
    await comment(place, 'First.')
    expect(await comment(place, nothing)).toBe('replaced')
    expect([...comments.values()]).toEqual([`<!-- specification changes -->\n${nothing}`])
  })

  it('is left out where the token may only read', async () => {
    status = 403
    expect(await comment(place, 'First.')).toBe('not allowed')
  })

  it('fails on any other answer, without the token', async () => {
    status = 500
    await expect(comment(place, 'First.')).rejects.toThrow(
      /^GitHub answered 500 to POST repos\/fairlead-dev\/fairlead\/issues\/7\/comments$/,
    )
  })
})
