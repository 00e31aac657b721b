import { text } from 'node:stream/consumers'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { gatewayFixture } from './gateway-fixture.ts'

it('a WebSocket handshake with two Host fields gets a 400', { timeout: 60_000 }, async () => {
  const gateway = await gatewayFixture({}, 'http://127.0.0.1:9')
  onTestFinished(() => gateway.stop())
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13'
  const key = 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=='
  socket.write(
    `GET /ws/${gateway.first.token} HTTP/1.1\r\nhost: a\r\nHost: b\r\n${upgrade}\r\n${key}\r\n\r\n`,
  )
  expect(await text(socket)).toMatch(
    /^HTTP\/1\.1 400 [^]*"code":"invalid","message":"Send exactly one Host header\."/,
  )
})

it('a request with two Host fields gets a 400 on every path', { timeout: 60_000 }, async () => {
  const gateway = await gatewayFixture({}, 'http://127.0.0.1:9')
  onTestFinished(() => gateway.stop())
  for (const path of ['/healthz', '/v1/organization/', `/${gateway.first.token}`, '/console/']) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`,
    )
    const response = await text(socket)
    expect(response).toMatch(
      /^HTTP\/1\.1 400 [^]*"code":"invalid","message":"Send exactly one Host header\."/,
    )
  }
})
