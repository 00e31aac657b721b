import type { LookupAddress } from 'node:dns'
import { createServer as createTlsServer } from 'node:https'
import { once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { generate } from 'selfsigned'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SendOptions, sendWebhook } from './send-webhook.ts'
import { isSignedWith, startReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts'

const secret = 'whsec_for-this-test-only'
const request = {
  secret,
  eventId: 'WE-1',
  deliveryId: 'WD-1',
  body: '{"id":"WE-1","data":"ü"}',
  at: Date.parse('2026-03-09T14:26:53.589Z'),
}

/** A resolver that returns the given addresses for any name. */
function createLookup(addresses: readonly LookupAddress[], lookups: string[] = []): LookupFunction {
  return (hostname, _, callback) => {
    lookups.push(hostname)
    callback(null, [...addresses])
  }
}

describe('sendWebhook', () => {
  let receiver: WebhookReceiver
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(() => receiver.close())

  const send = (url = receiver.url, options: Partial<SendOptions> = {}) =>
    sendWebhook({ ...request, url }, { isPrivateAllowed: true, ...options })

  it('sends the body unchanged, signed, with the ids of event and delivery', async () => {
    expect(await send()).toEqual({
      delivered: true,
      status: 204,
      error: null,
      durationMs: expect.any(Number) as number,
    })
    const [received] = receiver.received
    if (received === undefined) throw new Error('Nothing was received.')
    expect(received).toMatchObject({
      method: 'POST',
      path: '/hook?from=fairlead',
      body: request.body,
      headers: {
        host: `127.0.0.1:${receiver.port}`,
        'content-type': 'application/json',
        'content-length': '25',
        'x-event-id': 'WE-1',
        'x-delivery-id': 'WD-1',
      },
    })
    expect(received.headers['x-signature']).toMatch(/^t=1773066413,v1=[0-9a-f]{64}$/)
    expect(isSignedWith(secret, received)).toBe(true)
    expect(isSignedWith('another', received)).toBe(false)
    expect(isSignedWith(secret, { ...received, body: `${received.body} ` })).toBe(false)
  })

  it.each([
    [200, true],
    [299, true],
    [302, false],
    [400, false],
    [503, false],
  ])('classifies status %d as %s', async (status, delivered) => {
    receiver.respond = (response) =>
      void response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('the answer is not shown')
    const outcome = await send()
    expect(outcome).toMatchObject({ delivered, status })
    expect(outcome.error === null).toBe(delivered)
    expect(JSON.stringify(outcome)).not.toContain('not shown')
    // A redirect is not followed.
    expect(receiver.received).toHaveLength(1)
  })

  it('reads no more of a response than necessary', async () => {
    let isCut = false
    receiver.respond = (response) => {
      response.on('close', () => (isCut = !response.writableFinished))
      response.writeHead(200)
      const fill = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', fill)
      fill()
    }
    expect(await send()).toMatchObject({ delivered: true, status: 200 })
    await expect.poll(() => isCut, { timeout: 50_000 }).toBe(true)
  })

  it('times out on a receiver that does not respond', async () => {
    receiver.respond = () => undefined
    expect(await send(receiver.url, { timeoutMs: 100 })).toMatchObject({
      delivered: false,
      status: null,
      error: 'The receiver did not respond in time.',
    })
  })

  it('reports only that a receiver is unreachable', async () => {
    const { url } = receiver
    await receiver.close()
    const outcome = await send(url)
    receiver = await startReceiver()
    expect(outcome).toMatchObject({
      delivered: false,
      status: null,
      error: 'The receiver did not respond.',
    })
  })

  it.each([
    [[{ address: '127.0.0.1', family: 4 }]],
    [[{ address: '::1', family: 6 }]],
    [[{ address: '::ffff:127.0.0.1', family: 6 }]],
    [[{ address: '169.254.169.254', family: 4 }]],
    [
      [
        { address: '10.0.0.1', family: 4 },
        { address: 'fd00::1', family: 6 },
      ],
    ],
  ])('does not connect to a name that resolves to %j', async (addresses) => {
    const url = `https://hooks.example:${receiver.port}/`
    const outcome = await send(url, { isPrivateAllowed: false, resolve: createLookup(addresses) })
    expect(outcome).toMatchObject({
      delivered: false,
      status: null,
      error: 'The IP address of the receiver is not allowed for webhooks.',
    })
  })

  it('does not connect to this machine by its hostname', async () => {
    const url = `https://localhost:${receiver.port}/`
    expect(await send(url, { isPrivateAllowed: false })).toMatchObject({
      delivered: false,
      error: 'The IP address of the receiver is not allowed for webhooks.',
    })
  })

  it('rejects an address that was allowed when the webhook was created', async () => {
    expect(await send(receiver.url, { isPrivateAllowed: false })).toMatchObject({
      delivered: false,
      status: null,
    })
    expect(receiver.received).toEqual([])
  })

  it('connects to the checked address after a single DNS lookup', async () => {
    const lookups: string[] = []
    // A name whose address changes with each query would resolve to another address the second time.
    const resolve = createLookup([{ address: '127.0.0.1', family: 4 }], lookups)
    const url = `http://hooks.example:${receiver.port}/`
    expect(await send(url, { resolve })).toMatchObject({ delivered: true })
    expect(lookups).toEqual(['hooks.example'])
    expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${receiver.port}`)
  })

  it('skips the addresses of a name that are not allowed', async () => {
    const resolve = createLookup([
      { address: '169.254.169.254', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ])
    expect(await send(`http://hooks.example:${receiver.port}/`, { resolve })).toMatchObject({
      delivered: true,
    })
  })

  it('requires a certificate that is valid for the name', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'hooks.example' }])
    const server = createTlsServer({ key, cert }, (_, response) => void response.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const resolve = createLookup([{ address: '127.0.0.1', family: 4 }])
    expect(await send(`https://hooks.example:${port}/`, { resolve })).toMatchObject({
      delivered: false,
      status: null,
      error: 'The certificate of the receiver is not valid.',
    })
    server.close()
  })
})
