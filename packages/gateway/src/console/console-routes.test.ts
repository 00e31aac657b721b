import { once } from 'node:events'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeServer } from '@fairlead/gateway-core/http/adapters/node-http'
import { createRouting } from '@fairlead/gateway-core/protocol/routing'
import { consoleRoutes } from './console-routes.ts'

const script = 'export const one = 1\n'
const longScript = `export const one = '${'x'.repeat(300_000)}'\n`

let folder: string
let server: Server
beforeAll(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'fairlead-console-'))
  folder = join(parent, 'dist')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(parent, 'outside.js'), 'secret')
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>console</title>')
  await writeFile(join(folder, 'reference.html'), '<!doctype html><title>reference</title>')
  await writeFile(join(folder, 'assets/index-1a.js'), script)
  await writeFile(join(folder, 'assets/index-1a.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'assets/index-1a.js.gz'), gzipSync(script))
  await writeFile(join(folder, 'assets/long-1a.js'), longScript)
  server = await listen(folder)
})
afterAll(async () => {
  server.close()
  await rm(join(folder, '..'), { recursive: true })
})

async function listen(at: string): Promise<Server> {
  const { onRequest } = createRouting([], consoleRoutes(at), (_, response) => response.writeHead(418).end())
  const started = createNodeServer({}, onRequest)
  started.listen(0, '127.0.0.1')
  await once(started, 'listening')
  return started
}

/** Sends a path unchanged; `fetch` would resolve the dots in it. */
async function send(
  path: string,
  options: { method?: string; encoding?: string; ifNoneMatch?: string; at?: Server } = {},
) {
  const { port } = (options.at ?? server).address() as AddressInfo
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method: options.method ?? 'GET',
    headers: {
      ...(options.encoding !== undefined && { 'accept-encoding': options.encoding }),
      ...(options.ifNoneMatch !== undefined && { 'if-none-match': options.ifNoneMatch }),
    },
  }).end()
  const [response] = await once(outgoing, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }
}

describe('the console', () => {
  it.each(['/console/', '/console/nodes/ND-1/credentials', '/console/?x=1'])(
    'responds to %s with the console page',
    async (path) => {
      const { status, headers, text } = await send(path)
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ])
      expect(text).toContain('<title>console</title>')
    },
  )

  it.each(['/docs/', '/docs/grpc/geyser.Geyser/Ping'])(
    'responds to %s with the API reference',
    async (path) => {
      const { status, headers, text } = await send(path)
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(text).toContain('<title>reference</title>')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
    },
  )

  it('has a content security policy that allows only its own files', async () => {
    const { headers } = await send('/console/')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  it.each([
    [undefined, undefined, script.length],
    ['gzip', 'gzip', gzipSync(script).length],
    ['gzip, br', 'br', brotliCompressSync(script).length],
    ['br;q=0, gzip;q=0.5', 'gzip', gzipSync(script).length],
  ])('sends a hashed file to a client that accepts %s', async (encoding, sent, length) => {
    const { headers } = await send('/console/assets/index-1a.js', encoding === undefined ? {} : { encoding })
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'content-length': String(length),
    })
    expect(headers['content-encoding']).toBe(sent)
  })

  it.each([
    '/console/assets/index-2b.js',
    '/console/assets/',
    '/console/favicon.svg',
    '/console/../outside.js',
    '/console/assets/../../outside.js',
    '/console/%2e%2e/outside.js',
    '/console/..%2foutside.js',
  ])('responds with 404 to %s', async (path) => {
    const { status, text } = await send(path)
    expect([status, text]).toEqual([404, ''])
  })

  it('responds to HEAD without a body', async () => {
    const { status, headers, text } = await send('/console/assets/index-1a.js', { method: 'HEAD' })
    expect([status, headers['content-length'], text]).toEqual([200, String(script.length), ''])
  })

  it.each(['GET', 'HEAD'])('responds with 304 to %s for the version that the client has', async (method) => {
    const { headers, text } = await send('/console/', { method })
    const etag = String(headers.etag)
    for (const ifNoneMatch of [etag, `"other", W/${etag}`, '*']) {
      expect(await send('/console/', { method, ifNoneMatch })).toMatchObject({
        status: 304,
        headers: { etag, 'cache-control': 'no-cache', vary: 'accept-encoding' },
        text: '',
      })
    }
    expect(await send('/console/', { method, ifNoneMatch: '"other"' })).toMatchObject({ status: 200, text })
  })

  it('identifies each encoding of a file by another tag', async () => {
    const path = '/console/assets/index-1a.js'
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map(async (encoding) => (await send(path, { encoding })).headers.etag),
    )
    expect(new Set(tags).size).toBe(3)
  })

  it('sends a file of several chunks completely', async () => {
    const { headers, text } = await send('/console/assets/long-1a.js')
    expect([headers['content-length'], text]).toEqual([String(longScript.length), longScript])
  })

  it('serves a rebuilt file', async () => {
    await writeFile(join(folder, 'changed.svg'), '<svg id="1"/>')
    const { headers, text } = await send('/console/changed.svg')
    expect(text).toBe('<svg id="1"/>')
    await writeFile(join(folder, 'changed.svg'), '<svg id="2"/>')
    await utimes(join(folder, 'changed.svg'), new Date(), new Date('2030-01-01'))
    const ifNoneMatch = String(headers.etag)
    await expect
      .poll(async () => (await send('/console/changed.svg', { ifNoneMatch })).text, { timeout: 10_000 })
      .toBe('<svg id="2"/>')
    await rm(join(folder, 'changed.svg'))
    await expect.poll(async () => (await send('/console/changed.svg')).status, { timeout: 10_000 }).toBe(404)
  })

  it('rejects other methods', async () => {
    const { status, headers } = await send('/console/', { method: 'POST' })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('redirects to its own folder and does not handle other paths', async () => {
    expect(await send('/console')).toMatchObject({ status: 308, headers: { location: '/console/' } })
    expect(await send('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } })
    expect((await send('/consoles')).status).toBe(418)
    expect((await send('/docstring')).status).toBe(418)
  })

  it('explains how to build the console when it is missing', async () => {
    const at = await listen(join(folder, 'nowhere'))
    expect(await send('/console/', { at })).toMatchObject({
      status: 200,
      text: expect.stringContaining('pnpm --filter @fairlead/console build') as string,
    })
    expect((await send('/console/assets/index-1a.js', { at })).status).toBe(404)
    at.close()
  })
})
