import { once } from 'node:events'
import { expect, it } from 'vitest'
import { inFrontOf, type ListenerFixture, type ListenerOptions } from '../testing/listener-fixture.ts'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import { waitFor } from '@fairlead/vitest/wait-for'
import { openWebSocket, rejectedHandshake } from '@fairlead/gateway-core/testing/websocket-client'

// No upstream receives a call.
const listening = (options: ListenerOptions = {}) => inFrontOf('http://127.0.0.1:9', options)

/**
 * Returns the close event that a program receives from the WebSocket of its runtime, as in all browsers and Node.js.
 */
async function nativeClose(url: string): Promise<{ readonly code: number; readonly reason: string }> {
  const socket = new WebSocket(url)
  const [event] = (await once(socket, 'close')) as [CloseEvent]
  return { code: event.code, reason: event.reason }
}

const wrong = ({ wsUrl }: ListenerFixture) => wsUrl.replace(/[^/]+$/, 'wrong')
const browser = { headers: { origin: 'https://app.example' } }

it('closes a native WebSocket with the code for an unknown credential', async () => {
  const gateway = await listening()
  const expected = { code: 4401, reason: 'Unauthorized: Unknown token.' }
  expect(await nativeClose(wrong(gateway))).toEqual(expected)
  const client = await openWebSocket(wrong(gateway), browser)
  expect(await client.closed).toEqual([expected.code, expected.reason])
  expect(gateway.log().match(/"status":401,"msg":"node websocket rejected"/g)).toHaveLength(2)
  expect(await gateway.metrics()).toContain('fairlead_websockets 0\n')
})

it('responds to other clients over HTTP', async () => {
  const gateway = await listening()
  expect(await rejectedHandshake(wrong(gateway))).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="node"' },
    body: { error: { code: -32041 } },
  })
})

it('challenges a browser for basic authentication before it closes for wrong credentials', async () => {
  const gateway = await listening()
  const url = gateway.wsUrl.replace(/\/[^/]+$/, '')
  expect(await rejectedHandshake(url, browser)).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="node"' },
  })
  const authorization = `Basic ${Buffer.from('user:wrong').toString('base64')}`
  const client = await openWebSocket(url, { headers: { ...browser.headers, authorization } })
  expect(await client.closed).toEqual([4401, expect.stringContaining('Unknown user name or password.')])
})

it('counts unknown credentials of both in the same way, and throttles both', async () => {
  const gateway = await listening({ passing: { maxFailures: 2 } })
  expect(await nativeClose(wrong(gateway))).toMatchObject({ code: 4401 })
  expect(await rejectedHandshake(wrong(gateway))).toMatchObject({ status: 401 })
  expect(await nativeClose(wrong(gateway))).toEqual({
    code: 4429,
    reason:
      'Too many requests with unknown credentials from this IP address. Check the credential and try again later.',
  })
  expect(await rejectedHandshake(wrong(gateway))).toMatchObject({ status: 429 })
})

it('closes a native WebSocket when its credential has reached its limit', async () => {
  const gateway = await listening({ maxSocketsPerCredential: 1 })
  const first = await openWebSocket(gateway.wsUrl)
  expect(await nativeClose(gateway.wsUrl)).toMatchObject({ code: 4429 })
  first.socket.close()
  await waitFor(async () => expect(await gateway.metrics()).toContain('fairlead_websockets 0\n'))
})

it('does not wait for a client that does not respond to the close frame', async () => {
  const gateway = await listening()
  const key = Buffer.alloc(16).toString('base64')
  const { text, end } = await sendRaw(
    gateway.port,
    'GET /ws/wrong HTTP/1.1\r\nhost: x\r\norigin: https://app.example\r\nconnection: upgrade\r\n' +
      `upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  )
  expect(text).toMatch(/^HTTP\/1.1 101 /)
  expect(end).not.toBe('open')
}, 8_000)
