import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEvmClient, type EvmClientOptions } from './client.ts'
import { methods, nonIdempotentMethods } from './generated/index.ts'
import { FairleadError } from './index.ts'

interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly method: string | undefined
  readonly body: {
    readonly jsonrpc: string
    readonly id: number
    readonly method: string
    readonly params: unknown
  }
}

const url = 'https://node.example.com'
const token = 's3cr3t-t0k3n'
const auth: EvmClientOptions['auth'] = { kind: 'token', token }

function clientAnswering(
  answer: (sent: Sent) => Response | Promise<Response>,
  options: Partial<EvmClientOptions> = {},
) {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const call: Sent = {
      url: input as string,
      headers: new Headers(init?.headers),
      method: init?.method,
      body: JSON.parse(init?.body as string) as Sent['body'],
    }
    sent.push(call)
    return await answer(call)
  }
  return { evm: createEvmClient({ url, auth, fetch, ...options }), sent }
}

const result = (value: unknown) => (call: Sent) =>
  Response.json({ jsonrpc: '2.0', id: call.body.id, result: value })
const rpcError =
  (error: unknown, status = 200) =>
  () =>
    Response.json({ jsonrpc: '2.0', id: 1, error }, { status })

async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a request', () => {
  it('travels as a JSON-RPC envelope to the address of the token', async () => {
    const { evm, sent } = clientAnswering(result('0x10'), { path: 'evm' })
    expect(await evm.request({ method: 'eth_getBalance', params: ['0xab', 'latest'] })).toBe('0x10')
    expect(sent[0]).toMatchObject({ url: `${url}/${token}/evm`, method: 'POST' })
    expect(sent[0]?.body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBalance',
      params: ['0xab', 'latest'],
    })
    expect(sent[0]?.headers.get('content-type')).toBe('application/json')
    expect(sent[0]?.headers.has('authorization')).toBe(false)
  })

  it('carries basic credentials in a header, not in the address', async () => {
    const { evm, sent } = clientAnswering(result(false), {
      auth: { kind: 'basic', username: 'ü', password: 'p:w' },
    })
    await evm.request({ method: 'eth_syncing' })
    expect(sent[0]?.url).toBe(url)
    expect(sent[0]?.headers.get('authorization')).toBe(
      `Basic ${Buffer.from('ü:p:w', 'utf8').toString('base64')}`,
    )
  })

  it('has an empty list of parameters when there are none', async () => {
    const { evm, sent } = clientAnswering(result('0x1'))
    await evm.request({ method: 'eth_chainId' })
    expect(sent[0]?.body.params).toEqual([])
  })

  it('counts its ids from 1', async () => {
    const { evm, sent } = clientAnswering(result('0x1'))
    for (let call = 0; call < 3; call++) await evm.request({ method: 'eth_blockNumber' })
    expect(sent.map(({ body }) => body.id)).toEqual([1, 2, 3])
  })

  it('is sent again after a passing status when the method allows it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    let answers = 0
    const { evm, sent } = clientAnswering((call) => {
      answers += 1
      return answers === 1 ? new Response('busy', { status: 503 }) : result('0x1')(call)
    })
    const call = evm.request({ method: 'eth_blockNumber' })
    await vi.runAllTimersAsync()
    expect(await call).toBe('0x1')
    expect(sent).toHaveLength(2)
  })

  it.each(nonIdempotentMethods)('is never sent twice for %s', async (method) => {
    const { evm, sent } = clientAnswering(() => new Response('busy', { status: 503 }))
    await failure(evm.request({ method, params: [] } as never))
    const broken = clientAnswering(() => Promise.reject(new TypeError('fetch failed')))
    await failure(broken.evm.request({ method, params: [] } as never))
    expect([sent.length, broken.sent.length]).toEqual([1, 1])
  })

  it('is repeatable for exactly the methods that the contract marks so', () => {
    const marked = Object.values(methods).filter((method) => !method.idempotent)
    expect(marked.map((method) => method.name)).toEqual(nonIdempotentMethods)
    expect(nonIdempotentMethods).toContain('eth_sendRawTransaction')
  })
})

describe('an answer', () => {
  it('is null where the node has nothing', async () => {
    const { evm } = clientAnswering(result(null))
    expect(await evm.request({ method: 'eth_getBlockByHash', params: ['0x1234', false] })).toBeNull()
  })

  it('keeps a false result', async () => {
    const { evm } = clientAnswering(result(false))
    expect(await evm.request({ method: 'eth_syncing' })).toBe(false)
  })

  it('keeps code, words and revert data of an error object', async () => {
    const { evm } = clientAnswering(rpcError({ code: 3, message: 'execution reverted', data: '0x08c379a0' }))
    const error = await failure(evm.request({ method: 'eth_call', params: [{ to: '0xab' }, 'latest'] }))
    expect(error.code).toBe('RPC_ERROR')
    expect(error.context).toEqual({
      operation: 'eth_call',
      rpcCode: 3,
      detail: 'execution reverted',
      data: '0x08c379a0',
      status: 200,
    })
  })

  it('is an RPC error also with a status other than 200', async () => {
    const { evm } = clientAnswering(rpcError({ code: -32600, message: 'Unauthorized' }, 401))
    const error = await failure(evm.request({ method: 'eth_chainId' }))
    expect(FairleadError.is(error, 'RPC_ERROR') && error.context).toMatchObject({
      rpcCode: -32600,
      status: 401,
    })
  })

  it.each<[string, () => Response]>([
    ['text', () => new Response('no such node', { status: 404, headers: { 'x-request-id': 'r-1' } })],
    [
      'JSON whose error is a text',
      () => Response.json({ error: 'no such node' }, { status: 404, headers: { 'x-request-id': 'r-1' } }),
    ],
  ])('is an HTTP error when it is %s with another status', async (_, answer) => {
    const error = await failure(clientAnswering(answer).evm.request({ method: 'eth_chainId' }))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.context).toMatchObject({
      operation: 'eth_chainId',
      status: 404,
      detail: expect.stringContaining('no such node') as string,
      requestId: 'r-1',
    })
  })

  it.each<[string, () => Response]>([
    ['HTML', () => new Response('<html></html>')],
    ['empty', () => new Response('')],
    ['null', () => new Response('null')],
    ['without result and error', () => Response.json({ jsonrpc: '2.0', id: 1 })],
    ['with an error that is no object', () => Response.json({ jsonrpc: '2.0', id: 1, error: 'odd' })],
  ])('breaks the contract when it is %s', async (_, answer) => {
    const error = await failure(clientAnswering(answer).evm.request({ method: 'eth_chainId' }))
    expect(error.code).toBe('DECODE_INVALID')
    expect(error.context).toMatchObject({ operation: 'eth_chainId', path: '$' })
  })
})

describe('secrets', () => {
  const basic: EvmClientOptions['auth'] = { kind: 'basic', username: 'user', password: 'p4ssw0rd' }
  const encoded = btoa('user:p4ssw0rd')
  const leaky = `POST ${url}/${token}/evm p4ssw0rd Basic ${encoded}`

  it.each<[string, EvmClientOptions['auth'], (sent: Sent) => Response | Promise<Response>]>(
    [auth, basic].flatMap(
      (credential): [string, EvmClientOptions['auth'], () => Response | Promise<Response>][] => [
        ['RPC_ERROR', credential, rpcError({ code: 1, message: leaky, data: { deep: [leaky] } })],
        ['HTTP_STATUS', credential, () => new Response(leaky, { status: 400 })],
        ['DECODE_INVALID', credential, () => new Response(leaky)],
        [
          'TRANSPORT_FAILED',
          credential,
          () => Promise.reject(new TypeError(leaky, { cause: new Error(leaky) })),
        ],
      ],
    ),
  )('stand in no form of %s (credential %o)', async (code, credential, answer) => {
    const { evm } = clientAnswering(answer, { auth: credential, retries: 0 })
    const error = await failure(evm.request({ method: 'eth_chainId' }))
    expect(error.code).toBe(code)
    const forms = [
      String(error),
      error.message,
      error.stack,
      inspect(error, { depth: null, showHidden: true }),
      JSON.stringify(error),
      JSON.stringify(error.context),
    ].join('\n')
    const secrets = credential.kind === 'token' ? [token] : [encoded, 'p4ssw0rd']
    for (const secret of secrets) expect(forms).not.toContain(secret)
  })
})

describe('limits', () => {
  it('give up on a node that does not answer in time', async () => {
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      })
    const evm = createEvmClient({ url, auth, fetch, retries: 0 })
    const error = await failure(evm.request({ method: 'eth_chainId' }, { timeoutMs: 20 }))
    expect(FairleadError.is(error, 'TRANSPORT_TIMEOUT') && error.context).toMatchObject({
      timeoutMs: 20,
      attempt: 1,
    })
  })

  it("pass the caller's abort through unchanged", async () => {
    const reason = new Error('enough')
    const { evm, sent } = clientAnswering(result('0x1'))
    const options = { signal: AbortSignal.abort(reason) }
    await expect(evm.request({ method: 'eth_chainId' }, options)).rejects.toBe(reason)
    expect(sent).toHaveLength(0)
  })
})

it('refuses an address that cannot work before anything is sent', () => {
  expect(() => createEvmClient({ url: 'node.example.com', auth })).toThrow('CONFIG_INVALID')
  expect(() => createEvmClient({ url, auth: { kind: 'token', token: '' } })).toThrow('CONFIG_INVALID')
})
