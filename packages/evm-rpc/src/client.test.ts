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

function clientResponding(
  respond: (sent: Sent) => Response | Promise<Response>,
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
    return await respond(call)
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
  it('is sent as a JSON-RPC envelope to the URL with the token', async () => {
    const { evm, sent } = clientResponding(result('0x10'), { path: 'evm' })
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

  it('sends basic credentials in a header, not in the URL', async () => {
    const { evm, sent } = clientResponding(result(false), {
      auth: { kind: 'basic', username: 'ü', password: 'p:w' },
    })
    await evm.request({ method: 'eth_syncing' })
    expect(sent[0]?.url).toBe(url)
    expect(sent[0]?.headers.get('authorization')).toBe(
      `Basic ${Buffer.from('ü:p:w', 'utf8').toString('base64')}`,
    )
  })

  it('has an empty list of parameters when there are none', async () => {
    const { evm, sent } = clientResponding(result('0x1'))
    await evm.request({ method: 'eth_chainId' })
    expect(sent[0]?.body.params).toEqual([])
  })

  it('counts its ids from 1', async () => {
    const { evm, sent } = clientResponding(result('0x1'))
    for (let call = 0; call < 3; call++) await evm.request({ method: 'eth_blockNumber' })
    expect(sent.map(({ body }) => body.id)).toEqual([1, 2, 3])
  })

  it('is retried after a temporary status if the method is idempotent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    let responseCount = 0
    const { evm, sent } = clientResponding((call) => {
      responseCount += 1
      return responseCount === 1 ? new Response('busy', { status: 503 }) : result('0x1')(call)
    })
    const call = evm.request({ method: 'eth_blockNumber' })
    await vi.runAllTimersAsync()
    expect(await call).toBe('0x1')
    expect(sent).toHaveLength(2)
  })

  it.each(nonIdempotentMethods)('is never sent twice for %s', async (method) => {
    const { evm, sent } = clientResponding(() => new Response('busy', { status: 503 }))
    await failure(evm.request({ method, params: [] } as never))
    const broken = clientResponding(() => Promise.reject(new TypeError('fetch failed')))
    await failure(broken.evm.request({ method, params: [] } as never))
    expect([sent.length, broken.sent.length]).toEqual([1, 1])
  })

  it('is idempotent for exactly the methods that the contract marks', () => {
    const marked = Object.values(methods).filter((method) => !method.idempotent)
    expect(marked.map((method) => method.name)).toEqual(nonIdempotentMethods)
    expect(nonIdempotentMethods).toContain('eth_sendRawTransaction')
  })
})

describe('a response', () => {
  it('is null if the node returns null', async () => {
    const { evm } = clientResponding(result(null))
    expect(await evm.request({ method: 'eth_getBlockByHash', params: ['0x1234', false] })).toBeNull()
  })

  it('returns a false result', async () => {
    const { evm } = clientResponding(result(false))
    expect(await evm.request({ method: 'eth_syncing' })).toBe(false)
  })

  it('preserves code, message and revert data of an error object', async () => {
    const { evm } = clientResponding(rpcError({ code: 3, message: 'execution reverted', data: '0x08c379a0' }))
    const error = await failure(evm.request({ method: 'eth_call', params: [{ to: '0xab' }, 'latest'] }))
    expect(error.code).toBe('RPC_ERROR')
    expect(error.details).toEqual({
      operation: 'eth_call',
      rpcCode: 3,
      detail: 'execution reverted',
      data: '0x08c379a0',
      status: 200,
    })
  })

  it('is an RPC error also with a status other than 200', async () => {
    const { evm } = clientResponding(rpcError({ code: -32600, message: 'Unauthorized' }, 401))
    const error = await failure(evm.request({ method: 'eth_chainId' }))
    expect(FairleadError.is(error, 'RPC_ERROR') && error.details).toMatchObject({
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
  ])('is an HTTP error for %s with another status', async (_, response) => {
    const error = await failure(clientResponding(response).evm.request({ method: 'eth_chainId' }))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details).toMatchObject({
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
  ])('is invalid for %s', async (_, response) => {
    const error = await failure(clientResponding(response).evm.request({ method: 'eth_chainId' }))
    expect(error.code).toBe('DECODE_INVALID')
    expect(error.details).toMatchObject({ operation: 'eth_chainId', path: '$' })
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
  )('do not appear in any form of %s (credential %o)', async (code, credential, response) => {
    const { evm } = clientResponding(response, { auth: credential, retries: 0 })
    const error = await failure(evm.request({ method: 'eth_chainId' }))
    expect(error.code).toBe(code)
    const forms = [
      String(error),
      error.message,
      error.stack,
      inspect(error, { depth: null, showHidden: true }),
      JSON.stringify(error),
      JSON.stringify(error.details),
    ].join('\n')
    const secrets = credential.kind === 'token' ? [token] : [encoded, 'p4ssw0rd']
    for (const secret of secrets) expect(forms).not.toContain(secret)
  })
})

describe('limits', () => {
  it('time out when the node does not respond', async () => {
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      })
    const evm = createEvmClient({ url, auth, fetch, retries: 0 })
    const error = await failure(evm.request({ method: 'eth_chainId' }, { timeoutMs: 20 }))
    expect(FairleadError.is(error, 'TRANSPORT_TIMEOUT') && error.details).toMatchObject({
      timeoutMs: 20,
      attempt: 1,
    })
  })

  it('throw the abort reason of the caller unchanged', async () => {
    const reason = new Error('enough')
    const { evm, sent } = clientResponding(result('0x1'))
    const options = { signal: AbortSignal.abort(reason) }
    await expect(evm.request({ method: 'eth_chainId' }, options)).rejects.toBe(reason)
    expect(sent).toHaveLength(0)
  })
})

it('rejects an invalid URL before anything is sent', () => {
  expect(() => createEvmClient({ url: 'node.example.com', auth })).toThrow('CONFIG_INVALID')
  expect(() => createEvmClient({ url, auth: { kind: 'token', token: '' } })).toThrow('CONFIG_INVALID')
})
