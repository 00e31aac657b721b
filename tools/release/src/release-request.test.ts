import { type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openReleaseRequest } from './release-request.ts'

let open: { number: number; title: string; body: string; head: string; base: string }[] = []
let server: HttpServer

beforeAll(async () => {
  server = await startHttpServer(({ method, url, headers, body }, response) => {
    const isKnown = headers.authorization === 'Bearer t0k3n'
    const sent = body.length === 0 ? undefined : JSON.parse(body.toString())
    const { pathname, searchParams } = new URL(url, 'http://github')
    if (isKnown && method === 'POST') open.push({ number: 9, ...sent })
    if (isKnown && method === 'PATCH')
      Object.assign(open.find(({ number }) => pathname.endsWith(`/${number}`)) ?? {}, sent)
    const found = open.filter((pull) => `fairlead-dev:${pull.head}` === searchParams.get('head'))
    sendJson(response, method === 'GET' ? found : {}, isKnown ? 200 : 401)
  })
})

beforeEach(() => {
  open = [{ number: 3, title: 'Another', body: '', head: 'feature', base: 'main' }]
})

afterAll(() => server.close())

const request = (title: string) =>
  openReleaseRequest(
    { api: server.url, repository: 'fairlead-dev/fairlead', token: 't0k3n' },
    { branch: 'release/next', base: 'main', title, body: `${title}.` },
  )

describe('the release pull request', () => {
  it('is opened once and updated afterwards', async () => {
    expect(await request('Release 1 package')).toBe('opened')
    expect(await request('Release 2 packages')).toBe('updated')
    expect(open.map(({ number, title, body, head }) => [number, title, body, head])).toEqual([
      [3, 'Another', '', 'feature'],
      [9, 'Release 2 packages', 'Release 2 packages.', 'release/next'],
    ])
  })

  it('fails with an error that does not contain the token', async () => {
    const target = { api: server.url, repository: 'fairlead-dev/fairlead', token: 'wr0ng' }
    const text = { branch: 'release/next', base: 'main', title: '', body: '' }
    await expect(openReleaseRequest(target, text)).rejects.toThrow(
      /^GitHub responded with 401 to GET repos\/fairlead-dev\/fairlead\/pulls\?state=open&head=[\w%-]+&base=main$/,
    )
  })
})
