import { get } from 'node:http'
import { expect, it } from 'vitest'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { guardedAgent } from '@fairlead/gateway-core/network/guarded-agent'
import { guardedFetch } from '@fairlead/gateway-core/network/guarded-fetch'
import { operatorRules } from '@fairlead/gateway-core/network/guarded-connect'

it('sends a request and returns its response', async () => {
  const received: unknown[] = []
  const url = await startTestNode((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, headers } = request
      received.push([method, headers['x-a'], Buffer.concat(chunks).toString()])
      response.writeHead(201, { 'content-type': 'application/json', 'x-b': ['1', '2'] }).end('{"a":"ü"}')
    })
  })
  const response = await guardedFetch(operatorRules)(`${url}/token`, {
    method: 'POST',
    headers: { 'x-a': 'b' },
    body: new URLSearchParams({ code: 'ä b' }),
  })
  expect(received).toEqual([['POST', 'b', 'code=%C3%A4+b']])
  expect([response.status, response.headers.get('x-b')]).toEqual([201, '1, 2'])
  expect(await response.json()).toEqual({ a: 'ü' })
})

it('follows no redirect', async () => {
  const url = await startTestNode((_, response) => response.writeHead(302, { location: '/other' }).end())
  const response = await guardedFetch(operatorRules)(url)
  expect([response.status, response.headers.get('location')]).toEqual([302, '/other'])
})

it('ends a response that is too long', async () => {
  const url = await startTestNode((_, response) => response.end(Buffer.alloc(1_100_000, 'x')))
  await expect(guardedFetch(operatorRules)(url)).rejects.toThrow('too long')
})

it('ends with its signal', async () => {
  const url = await startTestNode(() => undefined)
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(guardedFetch(operatorRules)(url, { signal })).rejects.toThrow()
})

it.each(['http://169.254.169.254/', 'https://[fd00:ec2::254]/', 'http://[::ffff:a9fe:a9fe]/'])(
  'connects to no metadata service: %s',
  async (url) => {
    await expect(guardedFetch(operatorRules)(url)).rejects.toMatchObject({ code: 'REFUSED_TARGET' })
    const { protocol } = new URL(url)
    if (protocol !== 'http:') return
    const error = await new Promise((resolve) => {
      get(url, { agent: guardedAgent(protocol, operatorRules) }).on('error', resolve)
    })
    expect(error).toMatchObject({ code: 'REFUSED_TARGET' })
  },
)
