import { setFlagsFromString } from 'node:v8'
import { compileFunction } from 'node:vm'
import { connect } from 'node:http2'
import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { HttpContext } from '@fairlead/gateway-core/http/http-context'
import { RequestContext } from '@fairlead/gateway-core/http/request-context'
import { gatewayFixture } from './gateway-fixture.ts'

setFlagsFromString('--allow-natives-syntax')
// Only code compiled after the flag is set may use the syntax.
const haveSameMap = compileFunction('return %HaveSameMap(one, other)', ['one', 'other']) as (
  left: object,
  right: object,
) => boolean

it('contexts of HTTP requests share one hidden class, those of messages and gRPC calls another', async () => {
  const gateway = await gatewayFixture({ FAIRLEAD_BUILTIN_HTTP_SERVER: 'true' }, 'http://127.0.0.1:1')
  onTestFinished(gateway.stop)
  const contexts: object[] = []
  const { begin } = RequestContext.prototype
  vi.spyOn(RequestContext.prototype, 'begin').mockImplementation(function collect(
    this: RequestContext,
    ...args
  ) {
    contexts.push(this)
    begin.apply(this, args)
  })
  const { url, first } = gateway
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, init).then((response) => response.text())
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  const headers = { 'content-type': 'application/json' }
  // Over the built-in server, as a batch, and over node:http.
  await call(`/${first.token}`, { method: 'POST', body, headers })
  await call(`/${first.token}`, { method: 'POST', body: `[${body},${body}]`, headers })
  await call(`/${first.token}`, { method: 'POST', body, headers: { ...headers, 'x-other': 'y' } })
  await call(`/beacon/${first.token}/eth/v1/node/health`)
  await call(`/${first.token}/api/v2/getMasterchainInfo`)
  const session = connect(url)
  const stream = session.request({ ':path': `/${first.token}`, ':method': 'POST', ...headers })
  stream.end(body)
  await once(stream.resume(), 'end')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/${first.token}`)
  await once(socket, 'open')
  socket.send(body)
  await once(socket, 'message')
  socket.close()
  const grpc = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }
  await once(session.request({ ...grpc, ':path': '/geyser.Geyser/GetSlot' }).resume(), 'end')
  session.close()
  const httpContexts = contexts.filter((context) => context instanceof HttpContext)
  const otherContexts = contexts.filter((context) => !(context instanceof HttpContext))
  expect([httpContexts.length, otherContexts.length]).toEqual([6, 2])
  const [reference = {}] = httpContexts
  expect(haveSameMap(reference, {})).toBe(false)
  expect(httpContexts.every((context) => haveSameMap(reference, context))).toBe(true)
  expect(haveSameMap(otherContexts[0] ?? {}, otherContexts[1] ?? {})).toBe(true)
})
