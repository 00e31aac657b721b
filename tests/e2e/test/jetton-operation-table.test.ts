import { v2, v3 } from '@fairlead/jetton/contract'
import type { Methods } from '@fairlead/jetton/v2'
import { Address } from '@ton/core'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess, withQuery } from './jetton/access.ts'
import { faultsOf, resultFaultsOf } from './jetton/response-faults.ts'
import { findExample } from './jetton/example.ts'
import { fund, fundedWallet } from './jetton/funded-wallet.ts'
import { type Refusal, v2Refusals } from './jetton/expected-errors.ts'
import { type Call, type Given, v2Calls } from './jetton/v2-calls.ts'
import { v3Calls } from './jetton/v3-calls.ts'
import {
  jettonPageFile,
  jettonPageText,
  type JettonOperation,
  v2Operations,
  v3Operations,
} from './jetton-operation-table.ts'

const {
  nodes: [, , node],
} = inject('development')
const jetton = jettonAccess(node)

let given: Given
beforeAll(async () => {
  const [example, sender] = await Promise.all([findExample(jetton), fundedWallet(node)])
  given = { example, sender }
})

// After an intended change, run: pnpm --filter @fairlead/e2e-tests write:methods
it('is what the reference page shows', () => {
  const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
  expect(plain(readFileSync(jettonPageFile, 'utf8'))).toBe(plain(jettonPageText()))
})

const envelope = { ok: true, jsonrpc: '2.0' }
const refused = (refusal: Refusal) => ({
  ok: false,
  error: expect.stringMatching(refusal.error) as string,
  code: refusal.status,
})

describe.each<readonly [string, readonly JettonOperation[], Readonly<Record<string, Call>>]>([
  ['v2', v2Operations, v2Calls],
  ['v3', v3Operations, v3Calls],
])('family %s answers as the page and the document say', (_, operations, calls) => {
  it.each(operations.map((operation) => ({ ...operation, id: operation.route.operationId })))(
    '$id',
    async ({ route, name, refusal }) => {
      const { method, path } = route
      const parameters = calls[name]?.(given) ?? expect.fail(`nobody says how to call ${name}`)
      const answer =
        method === 'GET'
          ? await jetton.call(withQuery(path, { ...parameters }))
          : await jetton.post(path, parameters)
      const body: unknown = await answer.json()
      expect({ status: answer.status, body }).toEqual({
        status: refusal?.status ?? 200,
        body: refusal ? expect.objectContaining(refused(refusal)) : expect.anything(),
      })
      expect(faultsOf(route, answer.status, body)).toBeUndefined()
    },
  )
})

describe('family v3 answers as the document says about an account that has coins and no code', () => {
  const account = `0:${'5A'.repeat(32)}`
  beforeAll(() => fund(node, Address.parse(account)))

  it.each(['addressBook', 'accountStates', 'walletStates', 'metadata', 'addressInformation'])(
    '%s',
    async (name) => {
      const path = `/api/v3/${name}`
      const route = Object.values(v3.routes).find((one) => one.path === path) ?? expect.fail(path)
      const answer = await jetton.call(withQuery(path, { address: account }))
      expect(answer.status).toBe(200)
      expect(faultsOf(route, 200, await answer.json())).toBeUndefined()
    },
  )
})

describe('family v2 answers by JSON-RPC', () => {
  it.each(Object.keys(v2Calls) as (keyof Methods)[])('%s', async (method) => {
    const refusal = v2Refusals[method]
    const answer = await jetton.rpc(method, v2Calls[method](given), method)
    const body = (await answer.json()) as { readonly result?: unknown }
    expect({ status: answer.status, body }).toEqual({
      status: refusal?.status ?? 200,
      body: expect.objectContaining({ ...(refusal ? refused(refusal) : envelope), id: method }),
    })
    expect(faultsOf(v2.routes.callJsonRpc, answer.status, body)).toBeUndefined()
    if (!refusal) expect(resultFaultsOf(method, body.result)).toBeUndefined()
  })
})
