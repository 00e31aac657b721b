import { fastify, type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect } from 'vitest'
import { registerV2 } from '../src/jetton/api/v2/register-v2.ts'
import { createJettonChain, type JettonChainOptions } from '../src/jetton/chain/create-jetton-chain.ts'
import type { JettonChain } from '../src/jetton/chain/jetton-chain.ts'

/** JSON in a response of the server. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into answers of every shape
export type Json = any

/** Parameters of a method. */
export type Input = Readonly<Record<string, unknown>>

/** A response of the server. */
export interface ApiResponse {
  status: number
  headers: Headers
  body: Json
}

/** The v2 API of one chain on a socket. */
export interface V2Server {
  readonly chain: JettonChain
  /** URL of the API, without a trailing slash. */
  readonly url: string
  get(method: string, input?: Input): Promise<ApiResponse>
  post(method: string, input?: Input): Promise<ApiResponse>
  rpc(method: string, params?: unknown): Promise<ApiResponse>
  /** Calls a method by POST, and returns its result; an error response fails the test. */
  result(method: string, input?: Input): Promise<Json>
}

/** Serves one chain for all tests of a file. */
export function useV2Server(options: JettonChainOptions = {}): V2Server {
  let chain: JettonChain | undefined
  let app: FastifyInstance | undefined
  let url = ''
  beforeAll(async () => {
    chain = await createJettonChain({ secondsPerBlock: 0, ...options })
    app = fastify({ forceCloseConnections: true })
    registerV2(app, chain)
    url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v2`
  })
  afterAll(async () => {
    await app?.close()
    await chain?.stop()
  })
  const sendRequest = async (path: string, init?: RequestInit): Promise<ApiResponse> => {
    const response = await fetch(`${url}${path}`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const post = (method: string, input: Input = {}) => sendRequest(`/${method}`, json(input))
  return {
    get chain() {
      if (chain === undefined) throw new Error('the chain is available only while tests run')
      return chain
    },
    get url() {
      return url
    },
    get: (method, input = {}) => sendRequest(`/${method}?${query(input)}`),
    post,
    rpc: (method, params) => sendRequest('/jsonRPC', json({ jsonrpc: '2.0', id: 1, method, params })),
    async result(method, input) {
      const { status, body } = await post(method, input)
      expect(body).toMatchObject({ ok: true })
      expect(status).toBe(200)
      return body.result
    },
  }
}

/** Creates a POST request with JSON. */
export function json(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function query(input: Input): URLSearchParams {
  return new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]))
}
