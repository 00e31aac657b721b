import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJettonChain } from '../chain/create-jetton-chain.ts'
import type { JettonChain } from '../chain/jetton-chain.ts'
import { serveJettonApi, type JettonApiServer } from './jetton-api-server.ts'

let chain: JettonChain
let server: JettonApiServer
let url = ''
beforeAll(async () => {
  chain = await createJettonChain({ secondsPerBlock: 0 })
  server = await serveJettonApi({ chain, port: 0, onFault: () => {} })
  url = `http://127.0.0.1:${server.port}`
})
afterAll(async () => {
  await server.close()
  await chain.stop()
})

test('responds with 404 to a path that cannot be decoded', async () => {
  for (const path of ['/%zz', '/api/v2/%zz', '/api/v3/%zz']) {
    const response = await fetch(`${url}${path}`)
    expect([response.status, await response.json()]).toEqual([
      404,
      { ok: false, error: 'The chain has no such path.', code: 404 },
    ])
  }
})

test('accepts a query with a thousand addresses', async () => {
  const address = chain.example.wallet
  const query = Array.from({ length: 1_000 }, () => `address=${address}`).join('&')
  const response = await fetch(`${url}/api/v3/metadata?${query}`)
  expect([response.status, await response.json()]).toEqual([200, {}])
})

test.each([5, -2, 300])('the faucet rejects workchain %i', async (workchain) => {
  const before = chain.head.seqno
  const response = await fetch(`${url}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: `${workchain}:${'ab'.repeat(32)}` }),
  })
  expect(response.status).toBe(422)
  expect(chain.head.seqno).toBe(before)
})
