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
let target: PullRequest = { api: '', repository: 'fairlead-dev/fairlead', number: '7', token: 't0k3n' }

beforeAll(async () => {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
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
  server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  target = { ...target, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

beforeEach(() => {
  comments.clear()
  status = 200
})

afterAll(() => {
  server?.close()
})

describe('the comment under a pull request', () => {
  it('is replaced by newer reports', async () => {
    comments.set(1, 'Looks good.')
    expect(await comment(target, 'First.')).toBe('written')
    expect(await comment(target, 'Second.')).toBe('replaced')
    expect([...comments.values()]).toEqual(['Looks good.', '<!-- specification changes -->\nSecond.'])
  })

  it('is found after hundreds of other comments', async () => {
    for (let id = 1; id <= 200; id += 1) comments.set(id, 'Looks good.')
    expect(await comment(target, 'First.')).toBe('written')
    expect(await comment(target, 'Second.')).toBe('replaced')
    expect(comments.size).toBe(201)
  })

  it('is truncated at a line end if the report is too long', async () => {
    await comment(target, '| row | of a table |\n'.repeat(4_000))
    const [written = ''] = comments.values()
    expect(written.length).toBeLessThan(65_536)
    expect(written).toMatch(/\| row \| of a table \|\n\nThe job summary contains the full report\.\n$/)
  })

  it('is not created for a report without changes, but updated with one', async () => {
    const emptyReport = markdownReport([])
    expect(await comment(target, emptyReport)).toBe('not needed')
    await comment(target, 'First.')
    expect(await comment(target, emptyReport)).toBe('replaced')
    expect([...comments.values()]).toEqual([`<!-- specification changes -->\n${emptyReport}`])
  })

  it('is omitted if the token has only read access', async () => {
    status = 403
    expect(await comment(target, 'First.')).toBe('not allowed')
  })

  it('fails on any other response, without the token in the error', async () => {
    status = 500
    await expect(comment(target, 'First.')).rejects.toThrow(
      /^GitHub responded with 500 to POST repos\/fairlead-dev\/fairlead\/issues\/7\/comments$/,
    )
  })
})
