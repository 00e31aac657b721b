import { v2, v3 } from '@fairlead/jetton/contract'
import type { Methods } from '@fairlead/jetton/v2'
import { Address } from '@ton/core'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { jettonAccess, withQuery } from './jetton/access.ts'
import { faultsOf, resultFaultsOf } from './jetton/response-faults.ts'
import { findExample } from './jetton/example.ts'
import { fund, fundedWallet } from './jetton/funded-wallet.ts'
import { type ExpectedError, v2ExpectedErrors } from './jetton/expected-errors.ts'
import { type Call, type CallContext, v2Calls } from './jetton/v2-calls.ts'
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

let context: CallContext
beforeAll(async () => {
  const [example, sender] = await Promise.all([findExample(jetton), fundedWallet(node)])
  context = { example, sender }
})

// After an intended change, run: pnpm --filter @fairlead/rest-client-tests write:operations
it('matches the reference page', () => {
  const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
  expect(plain(readFileSync(jettonPageFile, 'utf8'))).toBe(plain(jettonPageText()))
})

const envelope = { ok: true, jsonrpc: '2.0' }
const errorOf = (expectedError: ExpectedError) => ({
  ok: false,
  error: expect.stringMatching(expectedError.error) as string,
  code: expectedError.status,
})

describe.each<readonly [string, readonly JettonOperation[], Readonly<Record<string, Call>>]>([
  ['v2', v2Operations, v2Calls],
  ['v3', v3Operations, v3Calls],
])('family %s responds as documented on the page', (_, operations, calls) => {
  it.each(operations.map((operation) => ({ ...operation, id: operation.route.operationId })))(
    '$id',
    async ({ route, name, expectedError }) => {
      const { method, path } = route
      const parameters = calls[name]?.(context) ?? expect.fail(`no example call of ${name}`)
      const response =
        method === 'GET'
          ? await jetton.call(withQuery(path, { ...parameters }))
          : await jetton.post(path, parameters)
      const body: unknown = await response.json()
      expect({ status: response.status, body }).toEqual({
        status: expectedError?.status ?? 200,
        body: expectedError ? expect.objectContaining(errorOf(expectedError)) : expect.anything(),
      })
      expect(faultsOf(route, response.status, body)).toBeUndefined()
    },
  )
})

describe('family v3 responds as documented for an account with a balance and no code', () => {
  const account = `0:${'5A'.repeat(32)}`
  beforeAll(() => fund(node, Address.parse(account)))

  it.each(['addressBook', 'accountStates', 'walletStates', 'metadata', 'addressInformation'])(
    'responds to %s',
    async (name) => {
      const path = `/api/v3/${name}`
      const route = Object.values(v3.routes).find((candidate) => candidate.path === path) ?? expect.fail(path)
      const response = await jetton.call(withQuery(path, { address: account }))
      expect(response.status).toBe(200)
      expect(faultsOf(route, 200, await response.json())).toBeUndefined()
    },
  )
})

describe('family v2 by JSON-RPC', () => {
  it.each(Object.keys(v2Calls) as (keyof Methods)[])('responds to %s', async (method) => {
    const expectedError = v2ExpectedErrors[method]
    const response = await jetton.rpc(method, v2Calls[method](context), method)
    const body = (await response.json()) as { readonly result?: unknown }
    expect({ status: response.status, body }).toEqual({
      status: expectedError?.status ?? 200,
      body: expect.objectContaining({ ...(expectedError ? errorOf(expectedError) : envelope), id: method }),
    })
    expect(faultsOf(v2.routes.callJsonRpc, response.status, body)).toBeUndefined()
    if (!expectedError) expect(resultFaultsOf(method, body.result)).toBeUndefined()
  })
})
