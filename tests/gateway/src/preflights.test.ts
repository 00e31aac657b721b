import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'

let gateway: GatewayFixture
let port: number

beforeAll(async () => {
  gateway = await gatewayFixture({ FAIRLEAD_BUILTIN_HTTP_SERVER: 'true' }, 'http://127.0.0.1:1')
  port = Number(new URL(gateway.url).port)
}, 60_000)

afterAll(() => gateway.stop())

function preflight(path: string, headers: string): string {
  const lines = ['host: x', 'origin: https://app.example', 'access-control-request-method: POST']
  return [`OPTIONS ${path} HTTP/1.1`, ...lines, `access-control-request-headers: ${headers}`, '\r\n'].join(
    '\r\n',
  )
}

function call(path: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n[]`
}

async function handedOver(): Promise<number> {
  const text = await gateway.registry.metrics()
  return Number(/^fairlead_builtin_http_fallbacks_total (\d+)$/m.exec(text)?.[1])
}

it('a preflight stays on the built-in HTTP server', async () => {
  const before = await handedOver()
  const path = `/${gateway.first.token}`
  const requests = preflight(path, 'content-type') + call(path) + preflight(`${path}/evm`, 'x-request-id')
  const { text } = await sendRaw(port, requests, /HTTP[^]*HTTP[^]*HTTP[^]*\r\n\r\n$/)
  const responses = text.split(/(?=HTTP\/1\.1)/)
  expect(responses.map((response) => response.slice(9, 12))).toEqual(['204', '200', '204'])
  for (const response of [responses[0], responses[2]]) {
    expect(response).toContain('access-control-allow-methods: POST\r\n')
    expect(response).toMatch(/access-control-allow-headers: authorization, content-type, /)
  }
  expect(await handedOver()).toBe(before)
})

it('one that requests a gRPC-web header gets the gRPC-web response', async () => {
  const before = await handedOver()
  const { text } = await sendRaw(port, preflight('/x', 'x-grpc-web,x-token'), /\r\n\r\n$/)
  expect(text).toMatch(/^HTTP\/1\.1 204 /)
  expect(text).toContain('access-control-allow-headers: x-grpc-web,x-token\r\n')
  expect(await handedOver()).toBe(before)
})

it('one of another protocol is handled by node:http', async () => {
  const before = await handedOver()
  const { text } = await sendRaw(port, preflight('/t0k3n/api', 'content-type'), /\r\n\r\n$/)
  expect(text).toMatch(/^HTTP\/1\.1 204 /)
  expect(text).toContain('access-control-allow-methods: GET, POST\r\n')
  expect(await handedOver()).toBe(before + 1)
})
