import { describe, expect, it } from 'vitest'
import { jettonAdapters } from './adapters.ts'
import { type Answer, callOf, jettonServer } from '../testing/jetton-server.ts'

const globalId = 'te6cckEBAQEABgAACP///xHmo3/3'
const info = (bytes: string) => ({
  ok: true,
  result: { '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes } },
  '@extra': '1763739000.1:0:0.1',
})

async function ask(operationId: string, answer: Answer, id = 19) {
  const { node, asked } = await jettonServer(() => answer)
  const adapter = jettonAdapters.get(operationId)
  return {
    asked,
    answered: await adapter?.(callOf('v2', operationId, { config_id: id }), node).catch(
      (error: unknown) => error,
    ),
  }
}

const failure = (status: number, message: string) => ({ status, message })

describe('getConfigParam', () => {
  it('decodes the cell that a node answers', async () => {
    const { asked, answered } = await ask('getConfigParam', info(globalId))
    expect(answered).toEqual({ config_id: 19, value: { global_id: -239 } })
    expect(asked.map(({ method, path, query }) => [method, path, String(query)])).toEqual([
      ['GET', '/api/v2/getConfigParam', 'config_id=19'],
    ])
  })

  it('passes on what a node of the same contract answers', async () => {
    const { answered } = await ask('getConfigParam', { config_id: 19, value: { global_id: -3 } })
    expect(answered).toEqual({ config_id: 19, value: { global_id: -3 } })
  })

  it('gives a cell that TL-B does not describe as a cell', async () => {
    const { answered } = await ask('getConfigParam', info(globalId), -999)
    expect(answered).toEqual({ config_id: -999, value: { cell: globalId } })
  })

  it.each<Answer>([
    info(''),
    [500, { ok: false, error: 'LITE_SERVER_UNKNOWN: configuration parameter 77 not found', code: 500 }],
    [500, { ok: false, error: 'LITE_SERVER_UNKNOWN: configuration parameter 77 is not set', code: 500 }],
    [500, { ok: false, error: 'cannot serialize a null cell reference into a bag of cells', code: 500 }],
    [500, { ok: false, error: 'unknown config param', code: 500 }],
    [404, { ok: false, error: 'The configuration has no parameter 77.', code: 404 }],
  ])('says that a parameter is unknown however a node says it: %j', async (answer) => {
    const { answered } = await ask('getConfigParam', answer, 77)
    expect(answered).toMatchObject(failure(404, 'The configuration has no parameter 77.'))
  })

  it.each<readonly [number, string]>([
    [404, 'Not Found'],
    [422, 'failed to validate request: param should be non-negative'],
    [429, 'Ratelimit exceed'],
    [500, 'LITE_SERVER_UNKNOWN: cannot load block for getConfigParams'],
    [504, 'LITE_SERVER_NETWORK: timeout'],
  ])('leaves other refusals as they are: %i %s', async (status, error) => {
    const { answered } = await ask('getConfigParam', [status, { ok: false, error, code: status }])
    expect(answered).toMatchObject(failure(status, error))
  })

  it('takes the words of a limit from where a public service has them', async () => {
    const { answered } = await ask('getConfigParam', [
      429,
      { ok: false, result: 'Ratelimit exceed', code: 429 },
    ])
    expect(answered).toMatchObject(failure(429, 'Ratelimit exceed'))
  })

  it.each<Answer>([[200, 'It works!'], { ok: true }, { ok: true, result: { config: {} } }, info('AAAA')])(
    'does not take for an answer what is none: %j',
    async (answer) => {
      const { answered } = await ask('getConfigParam', answer)
      expect(answered).toMatchObject(failure(502, "The node's answer cannot be read."))
    },
  )
})

describe('getConfigParam by JSON-RPC', () => {
  it('gives the value and the cell', async () => {
    const { asked, answered } = await ask('jsonRPC:getConfigParam', {
      ...info(globalId),
      jsonrpc: '2.0',
      id: '1',
    })
    expect(answered).toEqual({
      config_id: 19,
      value: { global_id: -239 },
      '@type': 'configInfo',
      config: { '@type': 'tvm.cell', bytes: globalId },
    })
    expect(asked).toMatchObject([
      {
        method: 'POST',
        path: '/api/v2/jsonRPC',
        body: { method: 'getConfigParam', params: { config_id: 19 } },
      },
    ])
  })

  it('says that a parameter is unknown', async () => {
    const { answered } = await ask('jsonRPC:getConfigParam', info(''), 77)
    expect(answered).toMatchObject(failure(404, 'The configuration has no parameter 77.'))
  })
})

describe('getShards', () => {
  const shards = {
    ok: true,
    result: {
      '@type': 'blocks.shards',
      shards: [
        {
          '@type': 'ton.blockIdExt',
          workchain: 0,
          shard: '-9223372036854775808',
          seqno: 5,
          root_hash: '',
          file_hash: '',
        },
      ],
    },
    '@extra': 'x',
  }

  it.each([
    ['getShards', shards],
    ['jsonRPC:getShards', shards.result],
  ])('is asked for under the name that every node knows: %s', async (operationId, expected) => {
    const { node, asked } = await jettonServer(({ path }) =>
      path === '/api/v2/shards' ? shards : [404, { ok: false, error: 'Not Found', code: 404 }],
    )
    const call = callOf('v2', operationId, { seqno: 7 })
    expect(await jettonAdapters.get(operationId)?.(call, node)).toEqual(expected)
    expect(asked.map(({ query }) => String(query))).toEqual(['seqno=7'])
  })
})
