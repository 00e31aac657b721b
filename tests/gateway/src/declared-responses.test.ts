import { Agent } from 'node:http'
import * as beacon from '@fairlead/beacon/contract'
import type { Route } from '@fairlead/core'
import { createLoopDetector } from '@fairlead/gateway-core/network/cdn-loop'
import { type RawResponse, sendRaw } from '@fairlead/http1/testing/raw-http'
import * as jetton from '@fairlead/jetton/contract'
import * as platform from '@fairlead/platform-client/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Contract,
  Declarations,
  type OperationRequest,
  parse,
  requestsFor,
  send,
  sendTooLong,
} from './declared-responses.ts'
import { type GatewayFixture, gatewayFixture } from './gateway-fixture.ts'

// Only the gateway responds: no upstream is reachable.
const nowhere = 'http://127.0.0.1:9'
const agent = new Agent({ keepAlive: true })
let gateway: GatewayFixture
let port: number
let loop: string
/** Requests that do not end, by the server that times out. They are sent at the start, because a timeout takes 10 s. */
let timeouts: Readonly<Record<'the built-in server' | 'node:http', Promise<RawResponse>>>

beforeAll(async () => {
  // A wrong credential is rejected with 401, however many were sent before.
  const environment = { FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '10000' }
  gateway = await gatewayFixture(environment, nowhere, { beacon: nowhere, jetton: nowhere })
  loop = createLoopDetector(gateway.store.encryptor).entry
  port = Number(new URL(gateway.url).port)
  // After the request line, only node:http serves this path.
  const incomplete = 'GET /v1/organization/'
  timeouts = {
    'the built-in server': sendRaw(port, incomplete),
    'node:http': sendRaw(port, `GET /v1/organization/ HTTP/1.1\r\nhost: x\r\n\r\n${incomplete}`),
  }
}, 60_000)
afterAll(async () => {
  agent.destroy()
  await gateway.stop()
})

const nodes: readonly (readonly [Contract, (token: string) => string])[] = [
  [beacon, (token) => `/beacon/${token}`],
  [jetton.v2, (token) => `/${token}`],
  [jetton.v3, (token) => `/${token}`],
]
const documents: typeof nodes = [...nodes, [platform, () => '']]
const routesOf = ({ routes }: Contract) => Object.values<Route>(routes)

describe.each(nodes.map(([contract, pathOf]) => ({ ...contract, pathOf })))(
  'the node API of the document $document',
  ({ pathOf, ...contract }) => {
    const declarations = new Declarations(contract)
    const urlOf = (token = gateway.first.token) => `${gateway.url}${pathOf(token)}`

    it('sends only responses that the operation declares', { timeout: 120_000 }, async () => {
      const violations: string[] = []
      const statuses = new Set<number>()
      const check = async (route: Route, url: string, request: OperationRequest) => {
        const response = await send(agent, url, request)
        statuses.add(response.status)
        const violation = declarations.violationOf(route, response)
        if (violation !== undefined) violations.push(`${route.operationId}, ${request.label}: ${violation}`)
      }
      for (const route of routesOf(contract)) {
        const requests = requestsFor(route)
        for (const request of requests) await check(route, urlOf(), request)
        const [plain] = requests as [OperationRequest]
        const headers = { ...plain.headers, 'cdn-loop': loop }
        await check(route, urlOf(), { ...plain, label: 'a loop', headers })
        await check(route, urlOf('wrong'), { ...plain, label: 'a wrong credential' })
      }
      expect(violations).toEqual([])
      expect([...statuses]).toEqual(expect.arrayContaining([401, 413, 415, 502, 508]))
    })
  },
)

describe.each(documents.map(([contract, pathOf]) => ({ ...contract, pathOf })))(
  'the HTTP server and the document $document',
  ({ pathOf, ...contract }) => {
    const declarations = new Declarations(contract)
    const name = 'HttpServerError' in contract.schemas ? 'HttpServerError' : 'PlatformError'
    const schema = { $ref: `${contract.document}#/components/schemas/${name}` }

    it('agree on a request line that is too long, for every operation', { timeout: 60_000 }, async () => {
      const url = `${gateway.url}${pathOf(gateway.first.token)}`
      const violations: string[] = []
      for (const route of routesOf(contract)) {
        const response = await sendTooLong(url, route)
        expect(response.status).toBe(431)
        const violation =
          declarations.violationOf(route, response) ?? declarations.violationOfSchema(schema, response.text)
        if (violation !== undefined) violations.push(`${route.operationId}: ${violation}`)
      }
      expect(violations).toEqual([])
    })

    it.each(['the built-in server', 'node:http'] as const)(
      'agree on a request that does not arrive in time, for every operation, with %s',
      { timeout: 60_000 },
      async (server) => {
        const { text, end } = await timeouts[server]
        const response = parse({ text: text.slice(text.lastIndexOf('HTTP/1.1 ')) })
        expect([response.status, end]).toEqual([408, 'closed'])
        expect(declarations.violationOfSchema(schema, response.text)).toBeUndefined()
        for (const route of routesOf(contract)) {
          expect([route.operationId, declarations.violationOf(route, response)]).toEqual([
            route.operationId,
            undefined,
          ])
        }
      },
    )

    it.each([
      ['no HTTP', 'GET / HTTP/9.9\r\n\r\n', 400],
      ['two hosts', 'GET /TARGET HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400],
      [
        'long chunk extensions',
        `POST /TARGET HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(17_000)}\r\n`,
        413,
      ],
      ['an expectation', 'GET /TARGET HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n', 417],
    ] as const)('agree on the error body for %s', async (_, text, status) => {
      const target = `${pathOf(gateway.first.token)}${routesOf(contract)[0]?.path}`.slice(1)
      const response = parse(await sendRaw(port, text.replace('TARGET', target)))
      expect(response.status).toBe(status)
      expect(declarations.violationOfSchema(schema, response.text)).toBeUndefined()
    })
  },
)
