import { afterAll, describe, expect, it } from 'vitest'
import { type RequestHandler, type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import { createJettonV2Client, FairleadError, unwrap } from '../v2.ts'
import { createJettonV3Client } from '../v3.ts'

const servers: HttpServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

const unwell: RequestHandler = (_, response) =>
  sendJson(response, { ok: false, error: 'busy', code: 503 }, 503, { 'retry-after': '0' })
const breaking: RequestHandler = (_, response) => void response.destroy()
const neverRespond: RequestHandler = () => {}

/** A node that fails once, and then responds. */
async function failingOnce(handler: RequestHandler): Promise<{ node: HttpServer; url: string }> {
  const result = { ok: true, result: { '@type': 'ok' } }
  const node = await startHttpServer((request, response, count) =>
    count === 1 ? handler(request, response, count) : sendJson(response, result),
  )
  servers.push(node)
  return { node, url: node.url }
}

const auth = { kind: 'basic', username: 'user', password: 'p4ssw0rd' } as const
const boc = 'te6cckEBAQEAAgAAAEysuc0='

type Act = (options: { url: string; auth: typeof auth; timeoutMs?: number | undefined }) => Promise<unknown>

const reads: [string, Act][] = [
  ['a GET', (options) => unwrap(createJettonV2Client(options).GET('/api/v2/getMasterchainInfo'))],
  [
    'a POST that reads',
    (options) => unwrap(createJettonV3Client(options).POST('/api/v3/decode', { body: { bodies: [boc] } })),
  ],
  ['a JSON-RPC call', (options) => createJettonV2Client(options).call({ method: 'getMasterchainInfo' })],
]
const acts: [string, Act][] = [
  [
    'a message',
    (options) => unwrap(createJettonV3Client(options).POST('/api/v3/message', { body: { boc } })),
  ],
  [
    'a message by v2',
    (options) => unwrap(createJettonV2Client(options).POST('/api/v2/sendBoc', { body: { boc } })),
  ],
  [
    'a message by JSON-RPC',
    (options) => createJettonV2Client(options).call({ method: 'sendBocReturnHash', params: { boc } }),
  ],
]
const failures: [string, string, RequestHandler, timeoutMs?: number][] = [
  ['a busy response', 'HTTP_STATUS', unwell],
  ['a connection that breaks', 'TRANSPORT_FAILED', breaking],
  ['silence', 'TRANSPORT_TIMEOUT', neverRespond, 200],
]

describe.each(failures)('to one node, after %s,', (_, code, handler, timeoutMs) => {
  it.each(reads)('%s is retried unchanged', async (_read, read) => {
    const { node, url } = await failingOnce(handler)
    await read({ url, auth, timeoutMs })
    expect(node.requests).toHaveLength(2)
    expect(node.requests[1]).toEqual({ ...node.requests[0], headers: node.requests[1]?.headers })
    expect(node.requests[1]?.headers.authorization).toBe(`Basic ${btoa('user:p4ssw0rd')}`)
  })

  it.each(acts)('%s is not retried', async (_act, act) => {
    const { node, url } = await failingOnce(handler)
    const error: unknown = await act({ url, auth, timeoutMs }).catch((reason: unknown) => reason)
    expect(FairleadError.is(error) && error.code).toBe(code)
    expect(node.requests).toHaveLength(1)
  })
})
