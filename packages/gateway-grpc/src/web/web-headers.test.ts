import { expect, it } from 'vitest'
import { grpcInFrontOf, xToken } from '../testing/grpc-fixture.ts'
import { http2Node } from '../testing/grpc-node.ts'

// Each of these headers would apply to all pages, nodes and requests of the gateway's origin.
const originHeaders = {
  'clear-site-data': '"*"',
  nel: '{"report_to":"a","max_age":1}',
  'report-to': '{"group":"a","max_age":1,"endpoints":[{"url":"https://attacker.example"}]}',
  'reporting-endpoints': 'a="https://attacker.example"',
  link: '<https://attacker.example>; rel=preload',
  refresh: '0; url=https://attacker.example',
  'service-worker-allowed': '/',
  'content-security-policy': 'sandbox',
  'set-cookie': 'a=b',
  'strict-transport-security': 'max-age=0',
  'alt-svc': 'h2="attacker.example:443"',
  'access-control-allow-credentials': 'true',
  'permissions-policy': 'geolocation=*',
  'cross-origin-opener-policy': 'unsafe-none',
  'origin-agent-cluster': '?0',
  'accept-ch': 'sec-ch-ua',
  'x-frame-options': 'ALLOWALL',
  location: 'https://attacker.example',
} as const

it.each(['grpc-web', 'grpc-web-text'])(
  'a browser receives metadata by %s, and no headers that affect the origin',
  async (form) => {
    const node = await http2Node((stream) => {
      const metadata = { 'x-sui-epoch': '7', 'trace-bin': 'AAE=', 'retry-after': '1' }
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', ...metadata, ...originHeaders },
        { waitForTrailers: true },
      )
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.resume().end()
    })
    const gateway = await grpcInFrontOf(node.url)
    const response = await fetch(`${gateway.url}/test.Test/One`, {
      method: 'POST',
      headers: { 'content-type': `application/${form}`, 'x-grpc-web': '1', 'x-token': xToken },
      body: form === 'grpc-web' ? new Uint8Array(5) : Buffer.alloc(5).toString('base64'),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-sui-epoch')).toBe('7')
    expect(response.headers.get('trace-bin')).toBe('AAE=')
    expect(response.headers.get('retry-after')).toBe('1')
    const names = [...response.headers.keys()].filter((name) => name in originHeaders)
    expect(names).toEqual([])
  },
)
