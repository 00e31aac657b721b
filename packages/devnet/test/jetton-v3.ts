import { Address, beginCell, type Cell } from '@ton/core'
import { fastify, type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect } from 'vitest'
import { registerV3 } from '../src/jetton/api/v3/register-v3.ts'
import { createJettonChain } from '../src/jetton/chain/create-jetton-chain.ts'
import type { ChainTransaction, JettonChain, Trace } from '../src/jetton/chain/jetton-chain.ts'
import { WalletV4, type WalletTransfer } from '../src/jetton/chain/wallet-v4.ts'

/** JSON in a response of the server. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into answers of every shape
export type Json = any

/** Parameters of a query; a list repeats its key. */
export type Input = Readonly<Record<string, string | number | bigint | boolean | readonly string[]>>

/** A response of the server. */
export interface ApiResponse {
  status: number
  headers: Headers
  body: Json
}

/** The v3 API of one chain on a socket. */
export interface V3Server {
  readonly chain: JettonChain
  get(path: string, input?: Input, headers?: HeadersInit): Promise<ApiResponse>
  /**
   * @param body a text is sent unchanged, any other value as JSON
   */
  post(path: string, body: unknown): Promise<ApiResponse>
  /** Sends a GET request; an error response fails the test. */
  rows(path: string, input?: Input, headers?: HeadersInit): Promise<Json>
  /** Sends messages from the wallet of the sample data. */
  send(transfers: readonly WalletTransfer[]): Promise<Trace>
}

/** Serves one chain for all tests of a file. */
export function useV3Server(): V3Server {
  let started: { chain: JettonChain; app: FastifyInstance; url: string } | undefined
  beforeAll(async () => {
    const chain = await createJettonChain({ secondsPerBlock: 0 })
    const app = fastify({ forceCloseConnections: true })
    registerV3(app, chain)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    started = { chain, app, url: `${url}/api/v3` }
  })
  afterAll(async () => {
    await started?.app.close()
    await started?.chain.stop()
  })
  const running = () => {
    if (started === undefined) throw new Error('the chain is available only while tests run')
    return started
  }
  const sendRequest = async (path: string, init?: RequestInit): Promise<ApiResponse> => {
    const response = await fetch(`${running().url}/${path}`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const get: V3Server['get'] = (path, input = {}, headers = {}) =>
    sendRequest(`${path}?${query(input)}`, { headers })
  return {
    get chain() {
      return running().chain
    },
    get,
    post: (path, body) =>
      sendRequest(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    async rows(path, input, headers) {
      const { status, body } = await get(path, input, headers)
      expect([status, status === 200 ? '' : body]).toEqual([200, ''])
      return body
    },
    async send(transfers) {
      const { chain } = running()
      const wallet = new WalletV4(Buffer.from(chain.example.wallet_seed, 'hex'))
      const { stack } = await chain.runGetMethod(wallet.address, 'seqno', [])
      const seqno = stack[0]?.type === 'int' ? Number(stack[0].value) : 0
      const sent = await chain.send(wallet.transfer(seqno, chain.head.genUtime + 3600, transfers))
      return sent.trace
    },
  }
}

/** Creates a message body with a text. */
export function comment(text: string): Cell {
  return beginCell().storeUint(0, 32).storeStringTail(text).endCell()
}

/** Formats an address like the indexer. */
export function raw(address: Address | string): string {
  const parsed = typeof address === 'string' ? Address.parse(address) : address
  return parsed.toRawString().toUpperCase()
}

/** Formats the hashes of transactions like the indexer. */
export function hashesOf(transactions: readonly ChainTransaction[]): string[] {
  return transactions.map(({ hash }) => hash.toString('base64'))
}

function query(input: Input): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    for (const item of [value].flat()) parameters.append(name, String(item))
  }
  return parameters
}
