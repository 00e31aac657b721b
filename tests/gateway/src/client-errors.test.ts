import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'
import { sendRaw } from '@fairlead/http1/testing/raw-http'

let gateway: GatewayFixture
let port: number

beforeAll(async () => {
  gateway = await gatewayFixture({}, 'http://127.0.0.1:9')
  port = Number(new URL(gateway.url).port)
}, 60_000)
afterAll(() => gateway.stop())

it.each([
  ['headers of 20 kB', `GET /v1/organization/?a=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ['an expectation', 'GET /v1/organization/ HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n', 417],
  ['no HTTP', 'GET / HTTP/9.9\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
] as const)('%s gets the common error format, with a request id', async (_, request, status) => {
  const { text, end } = await sendRaw(port, request)
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  const [, requestId] = /\r\nx-request-id: (\S+)\r\n/i.exec(text) ?? []
  const body: unknown = JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? '')
  expect(body).toMatchObject({ error: { code: 'invalid', request_id: requestId } })
  expect(end).toBe('closed')
})
