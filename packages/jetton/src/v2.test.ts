import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type ConfigParam,
  createJettonV2Client,
  FairleadError,
  type JettonNodeOptions,
  type MasterchainInfo,
  type Methods,
  unwrap,
} from './v2.ts'

const token: JettonNodeOptions['auth'] = { kind: 'token', token: 's3cr3t-t0k3n' }
const basic: JettonNodeOptions['auth'] = { kind: 'basic', username: 'user', password: 'p4ssw0rd' }
const param: ConfigParam = { config_id: 15, value: { validators_elected_for: 65536 } }

function clientResponding(respond: (request: Request) => Response | Promise<Response>, auth = token) {
  const sent: Request[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    sent.push(request)
    return await respond(request)
  }
  return { jetton: createJettonV2Client({ url: 'https://node.example.com', auth, fetch, retries: 0 }), sent }
}

const rpcResponse = () => Response.json({ ok: true, jsonrpc: '2.0', id: 1, result: param })

async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}

describe('the configuration', () => {
  it.each<[string, JettonNodeOptions['auth'], string, string | null]>([
    ['a token', token, 'https://node.example.com/s3cr3t-t0k3n/api/v2/getConfigParam?config_id=15', null],
    [
      'basic credentials',
      basic,
      'https://node.example.com/api/v2/getConfigParam?config_id=15',
      `Basic ${btoa('user:p4ssw0rd')}`,
    ],
  ])('is read with %s at the specified path', async (_, auth, url, authorization) => {
    const { jetton, sent } = clientResponding(() => Response.json(param), auth)
    const response = await unwrap(
      jetton.GET('/api/v2/getConfigParam', { params: { query: { config_id: 15 } } }),
    )
    expectTypeOf(response).toEqualTypeOf<ConfigParam>()
    expect(response).toEqual(param)
    expect(sent[0]?.url).toBe(url)
    expect(sent[0]?.headers.get('authorization')).toBe(authorization)
  })
})

describe('a call by JSON-RPC', () => {
  it('sends its parameters by name', async () => {
    const { jetton, sent } = clientResponding(rpcResponse)
    const response = await jetton.call({ method: 'getConfigParam', params: { config_id: 15 } })
    expectTypeOf(response).toEqualTypeOf<Methods['getConfigParam']['result']>()
    expect(response).toEqual(param)
    expect(sent[0]?.method).toBe('POST')
    expect(sent[0]?.url).toBe('https://node.example.com/s3cr3t-t0k3n/api/v2/jsonRPC')
    expect(await sent[0]?.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'getConfigParam',
      params: { config_id: 15 },
    })
  })

  it('can omit optional parameters', async () => {
    const { jetton, sent } = clientResponding(rpcResponse)
    await jetton.call({ method: 'getMasterchainInfo' })
    expect(await sent[0]?.json()).toMatchObject({ method: 'getMasterchainInfo', params: {} })
  })

  it('counts its ids', async () => {
    const { jetton, sent } = clientResponding(rpcResponse)
    for (let call = 0; call < 2; call++)
      await jetton.call({ method: 'getConfigParam', params: { config_id: 0 } })
    const bodies = (await Promise.all(sent.map((request) => request.json()))) as { id: number }[]
    expect(bodies.map(({ id }) => id)).toEqual([1, 2])
  })

  it('throws the error message of the node', async () => {
    const body = { ok: false, error: 'config_id should be an integer', code: 422, jsonrpc: '2.0', id: 1 }
    const { jetton } = clientResponding(() => Response.json(body, { status: 422 }))
    const error = await failure(jetton.call({ method: 'getConfigParam', params: { config_id: 15 } }))
    expect(error.details).toMatchObject({ status: 422, detail: 'config_id should be an integer' })
  })

  it('is invalid without a result', async () => {
    for (const respond of [
      () => Response.json({ jsonrpc: '2.0', id: 1 }),
      () => new Response(''),
      () => new Response('x'),
    ]) {
      const error = await failure(
        clientResponding(respond).jetton.call({ method: 'getConfigParam', params: { config_id: 15 } }),
      )
      expect(error.code).toBe('DECODE_INVALID')
    }
  })

  it('throws the abort reason of the caller unchanged', async () => {
    const reason = new Error('enough')
    const { jetton } = clientResponding(rpcResponse)
    const call = jetton.call(
      { method: 'getConfigParam', params: { config_id: 15 } },
      { signal: AbortSignal.abort(reason) },
    )
    await expect(call).rejects.toBe(reason)
  })

  it('is typed by method and parameters', () => {
    const { jetton } = clientResponding(rpcResponse)
    const calls = async () => {
      // This method has no required parameters.
      expectTypeOf(await jetton.call({ method: 'getMasterchainInfo' })).toEqualTypeOf<MasterchainInfo>()
      // @ts-expect-error no such method
      await jetton.call({ method: 'getBlock', params: {} })
      // @ts-expect-error required parameters cannot be omitted
      await jetton.call({ method: 'getConfigParam' })
      // @ts-expect-error parameters are passed by name
      await jetton.call({ method: 'getConfigParam', params: [15] })
      // @ts-expect-error the number is required
      await jetton.call({ method: 'getConfigParam', params: {} })
      // @ts-expect-error the number is required here as well
      await jetton.GET('/api/v2/getConfigParam')
    }
    expectTypeOf(calls).toBeFunction()
  })
})

it.each<[string, JettonNodeOptions['auth'], readonly string[]]>([
  ['a token', token, ['s3cr3t-t0k3n']],
  ['basic credentials', basic, ['p4ssw0rd', btoa('user:p4ssw0rd')]],
])('does not expose %s in an error', async (_, auth, secrets) => {
  const leaky = secrets.join(' ')
  for (const respond of [
    () => Response.json({ ok: false, error: leaky, code: 500 }, { status: 500 }),
    () => Response.json({ ok: false, error: { message: leaky } }, { status: 400 }),
    () => new Response(leaky),
    () => Promise.reject(new TypeError(leaky)),
  ]) {
    const error = await failure(
      clientResponding(respond, auth).jetton.call({ method: 'getConfigParam', params: { config_id: 1 } }),
    )
    const forms = [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: null, showHidden: true }),
    ].join('\n')
    for (const secret of secrets) expect(forms).not.toContain(secret)
  }
})
