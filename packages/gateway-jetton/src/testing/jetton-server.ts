import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { jettonFormat } from '../http/jetton-format.ts'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import type { JettonCall, NodeUpstreams } from '../upstream/types.ts'
import { PooledNodeUpstreams } from '../upstream/jetton-upstreams.ts'

/** A request that an upstream received. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** The response of an upstream: an object, or a status with an object or with text that is not JSON. */
export type UpstreamReply = object | readonly [status: number, body: object | string]

/** An upstream and the requests that it received. */
export interface JettonServer {
  readonly upstreams: NodeUpstreams
  readonly requests: readonly ReceivedRequest[]
}

/** Starts an upstream that responds as the test specifies, until the test ends. */
export async function jettonServer(
  respond: (request: ReceivedRequest) => UpstreamReply,
): Promise<JettonServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://node')
      const text = Buffer.concat(chunks).toString('utf8')
      const received: ReceivedRequest = {
        method: request.method ?? '',
        path: pathname,
        query,
        body: text === '' ? undefined : JSON.parse(text),
      }
      requests.push(received)
      const reply = respond(received)
      const [status, body] = Array.isArray(reply) ? (reply as [number, object | string]) : [200, reply]
      const isText = typeof body === 'string'
      response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' })
      response.end(isText ? body : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream = createRestUpstream(`http://127.0.0.1:${port}`, 30_000, jettonFormat)
  onTestFinished(async () => {
    await upstream.close()
    await new Promise((resolve) => server.close(resolve))
  })
  return { upstreams: new PooledNodeUpstreams({ v2: () => upstream, v3: () => upstream }), requests }
}

const tenant = { organizationId: 'organization', projectId: 'project', credentialId: 'credential' }

/** A call as the handler passes it to an adapter. */
export function callOf(
  family: JettonCall['family'],
  operationId: string,
  parameters: JettonCall['parameters'],
): JettonCall {
  return { family, operationId, parameters, tenant, signal: AbortSignal.timeout(30_000) }
}
