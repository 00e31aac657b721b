import { describe, expect, it } from 'vitest'
import { jettonAdapters } from './adapters.ts'
import { type UpstreamReply, callOf, jettonServer } from '../testing/jetton-server.ts'

const globalId = 'te6cckEBAQEABgAACP///xHmo3/3'
const info = (bytes: string) => ({
  ok: true,
  result: { '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes } },
  '@extra': '1763739000.1:0:0.1',
})

async function callAdapter(operationId: string, reply: UpstreamReply, id = 19) {
  const { upstreams, requests } = await jettonServer(() => reply)
  const adapter = jettonAdapters.get(operationId)
  return {
    requests,
    result: await adapter?.(callOf('v2', operationId, { config_id: id }), upstreams).catch(
      (error: unknown) => error,
    ),
  }
}

const failure = (status: number, message: string) => ({ status, message })

describe('getConfigParam', () => {
  it('decodes the cell that an upstream returns', async () => {
    const { requests, result } = await callAdapter('getConfigParam', info(globalId))
    expect(result).toEqual({ config_id: 19, value: { global_id: -239 } })
    expect(requests.map(({ method, path, query }) => [method, path, String(query)])).toEqual([
      ['GET', '/api/v2/getConfigParam', 'config_id=19'],
    ])
  })

  it('passes on the response of an upstream with the same contract', async () => {
    const { result } = await callAdapter('getConfigParam', { config_id: 19, value: { global_id: -3 } })
    expect(result).toEqual({ config_id: 19, value: { global_id: -3 } })
  })

  it('returns a cell that TL-B does not describe as a cell', async () => {
    const { result } = await callAdapter('getConfigParam', info(globalId), -999)
    expect(result).toEqual({ config_id: -999, value: { cell: globalId } })
  })

  it.each<UpstreamReply>([
    info(''),
    [500, { ok: false, error: 'LITE_SERVER_UNKNOWN: configuration parameter 77 not found', code: 500 }],
    [500, { ok: false, error: 'LITE_SERVER_UNKNOWN: configuration parameter 77 is not set', code: 500 }],
    [500, { ok: false, error: 'cannot serialize a null cell reference into a bag of cells', code: 500 }],
    [500, { ok: false, error: 'unknown config param', code: 500 }],
    [404, { ok: false, error: 'The configuration has no parameter 77.', code: 404 }],
  ])('responds 404 to every form of an unknown parameter: %j', async (reply) => {
    const { result } = await callAdapter('getConfigParam', reply, 77)
    expect(result).toMatchObject(failure(404, 'The configuration has no parameter 77.'))
  })

  it.each<readonly [number, string]>([
    [404, 'Not Found'],
    [422, 'failed to validate request: param should be non-negative'],
    [429, 'Ratelimit exceed'],
    [500, 'LITE_SERVER_UNKNOWN: cannot load block for getConfigParams'],
    [500, `${'param'.repeat(1_600)} not found`],
    [504, 'LITE_SERVER_NETWORK: timeout'],
  ])('passes on other errors unchanged: %i %s', async (status, error) => {
    const { result } = await callAdapter('getConfigParam', [status, { ok: false, error, code: status }])
    expect(result).toMatchObject(failure(status, error))
  })

  it('reads the message of a 429 from the result field', async () => {
    const { result } = await callAdapter('getConfigParam', [
      429,
      { ok: false, result: 'Ratelimit exceed', code: 429 },
    ])
    expect(result).toMatchObject(failure(429, 'Ratelimit exceed'))
  })

  it.each<UpstreamReply>([{ ok: true }, { ok: true, result: { config: {} } }, info('AAAA')])(
    'rejects an invalid response: %j',
    async (reply) => {
      const { result } = await callAdapter('getConfigParam', reply)
      expect(result).toMatchObject(failure(502, 'The response of the upstream is invalid.'))
    },
  )

  it('rejects a response of another media type', async () => {
    const { result } = await callAdapter('getConfigParam', [200, 'It works!'])
    expect(result).toMatchObject(
      failure(502, 'The response of the upstream does not follow the jetton chain API.'),
    )
  })
})

describe('getConfigParam by JSON-RPC', () => {
  it('returns the value and the cell', async () => {
    const { requests, result } = await callAdapter('jsonRPC:getConfigParam', {
      ...info(globalId),
      jsonrpc: '2.0',
      id: '1',
    })
    expect(result).toEqual({
      config_id: 19,
      value: { global_id: -239 },
      '@type': 'configInfo',
      config: { '@type': 'tvm.cell', bytes: globalId },
    })
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/api/v2/jsonRPC',
        body: { method: 'getConfigParam', params: { config_id: 19 } },
      },
    ])
  })

  it('responds 404 for an unknown parameter', async () => {
    const { result } = await callAdapter('jsonRPC:getConfigParam', info(''), 77)
    expect(result).toMatchObject(failure(404, 'The configuration has no parameter 77.'))
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
  ])('uses the path that every upstream supports: %s', async (operationId, expected) => {
    const { upstreams, requests } = await jettonServer(({ path }) =>
      path === '/api/v2/shards' ? shards : [404, { ok: false, error: 'Not Found', code: 404 }],
    )
    const call = callOf('v2', operationId, { seqno: 7 })
    expect(await jettonAdapters.get(operationId)?.(call, upstreams)).toEqual(expected)
    expect(requests.map(({ query }) => String(query))).toEqual(['seqno=7'])
  })
})
