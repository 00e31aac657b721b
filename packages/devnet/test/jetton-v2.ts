import { fastify, type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect } from 'vitest'
import { registerV2 } from '../src/jetton/api/v2/register-v2.ts'
import { createJettonChain, type JettonChainOptions } from '../src/jetton/chain/create-jetton-chain.ts'
import type { JettonChain } from '../src/jetton/chain/jetton-chain.ts'

/** JSON in a response of the server. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into answers of every shape
export type Json = any

/** Parameters of a method. */
export type Given = Readonly<Record<string, unknown>>

/** A response of the server. */
export interface Answer {
  status: number
  headers: Headers
  body: Json
}

/** The v2 API of one chain on a socket. */
export interface V2Server {
  readonly chain: JettonChain
  /** URL of the API, without a trailing slash. */
  readonly url: string
  get(method: string, given?: Given): Promise<Answer>
  post(method: string, given?: Given): Promise<Answer>
  rpc(method: string, params?: unknown): Promise<Answer>
  /** Calls a method by POST, and returns its result; an error response fails the test. */
  result(method: string, given?: Given): Promise<Json>
}

/** Serves one chain for all tests of a file. */
export function v2OfThisFile(options: JettonChainOptions = {}): V2Server {
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
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const post = (method: string, given: Given = {}) => ask(`/${method}`, json(given))
  return {
    get chain() {
      if (chain === undefined) throw new Error('the chain is there only while tests run')
      return chain
    },
    get url() {
      return url
    },
    get: (method, given = {}) => ask(`/${method}?${query(given)}`),
    post,
    rpc: (method, params) => ask('/jsonRPC', json({ jsonrpc: '2.0', id: 1, method, params })),
    async result(method, given) {
      const { status, body } = await post(method, given)
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

function query(given: Given): URLSearchParams {
  return new URLSearchParams(Object.entries(given).map(([name, value]) => [name, String(value)]))
}
