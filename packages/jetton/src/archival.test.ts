import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, sendJson, startHttpServer } from '@fairlead/vitest/http-server'
import { createJettonV2Client, FairleadError, unwrap } from './v2.ts'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
const notStored =
  'LITE_SERVER_UNKNOWN: cannot compute block with specified transaction: cannot find block (0,b24027bc317866f8) lt=44402946000003: lt not in db'

// Returns transactions only for requests to the archive; otherwise an error with the text that the test sets.
let message = notStored
let node: HttpServer
beforeAll(async () => {
  node = await startHttpServer((request, response) => {
    if (request.url.includes('archival=true') || /"archival":true/.test(request.body.toString()))
      sendJson(response, { ok: true, result: [], jsonrpc: '2.0', id: 1 })
    else sendJson(response, { ok: false, error: message, code: 500 }, 500)
  })
})
afterAll(() => node.close())

function started(options: { archival?: boolean } = {}, errorText = notStored) {
  message = errorText
  const from = node.requests.length
  const auth = { kind: 'token', token: 's3cr3t' } as const
  const jetton = createJettonV2Client({ url: node.url, auth, retries: 0, ...options })
  const sent = () => node.requests.slice(from).map(({ url, body }) => body.toString() || url)
  return { jetton, sent }
}

const params = { query: { address, limit: 5 } }
const requestUrl = `/s3cr3t/api/v2/getTransactions?address=${address}&limit=5`
const status500 = (error: unknown) => FairleadError.is(error, 'HTTP_STATUS') && error.details.status === 500

describe('transactions that the node no longer stores', () => {
  it.each([
    notStored,
    'LITE_SERVER_UNKNOWN: cannot locate transaction in block with specified logical time',
    'LITE_SERVER_UNKNOWN: unable to load block (0,8000000000000000,39631700) with specified transaction: not in db',
  ])('are requested from the archive: %s', async (errorText) => {
    const { jetton, sent } = started({}, errorText)
    expect(await unwrap(jetton.GET('/api/v2/getTransactions', { params }))).toMatchObject({ result: [] })
    expect(sent()).toEqual([requestUrl, `${requestUrl}&archival=true`])
  })

  it('are requested from the archive by POST and by JSON-RPC', async () => {
    const { jetton, sent } = started()
    const body = { address, limit: 5 }
    await unwrap(jetton.POST('/api/v2/getTransactionsStd', { body }))
    expect(await jetton.call({ method: 'getTransactions', params: body })).toEqual([])
    const rpc = { jsonrpc: '2.0', id: 1, method: 'getTransactions' }
    expect(sent().map((text) => JSON.parse(text) as unknown)).toEqual([
      body,
      { ...body, archival: true },
      { ...rpc, params: body },
      { ...rpc, params: { ...body, archival: true } },
    ])
  })
})

describe('the archive is not queried', () => {
  it('when the option is false', async () => {
    const { jetton, sent } = started({ archival: false })
    await expect(unwrap(jetton.GET('/api/v2/getTransactions', { params }))).rejects.toSatisfy(status500)
    expect(sent()).toEqual([requestUrl])
  })

  it('by a call that sets the parameter itself', async () => {
    const { jetton, sent } = started()
    const query = { ...params.query, archival: false }
    await expect(unwrap(jetton.GET('/api/v2/getTransactions', { params: { query } }))).rejects.toSatisfy(
      status500,
    )
    const call = jetton.call({ method: 'getTransactions', params: { address, archival: false } })
    await expect(call).rejects.toSatisfy(status500)
    expect(sent()).toHaveLength(2)
  })

  it('after another failure, whose message is unchanged', async () => {
    const { jetton, sent } = started({}, 'LITE_SERVER_UNKNOWN: unknown account')
    const error: unknown = await unwrap(jetton.GET('/api/v2/getTransactions', { params })).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ details: { detail: 'LITE_SERVER_UNKNOWN: unknown account' } })
    expect(sent()).toEqual([requestUrl])
  })

  it('by an operation without the parameter', async () => {
    const { jetton, sent } = started()
    const query = { workchain: -1, shard: '-9223372036854775808', seqno: 1 }
    await expect(unwrap(jetton.GET('/api/v2/getBlockHeader', { params: { query } }))).rejects.toSatisfy(
      status500,
    )
    expect(sent()).toHaveLength(1)
  })
})
