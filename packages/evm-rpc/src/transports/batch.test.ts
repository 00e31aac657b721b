import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RpcRequest, Transport } from '../transport.ts'
import { batch, type BatchOptions } from './batch.ts'
import { http } from './http.ts'
import { retry } from './retry.ts'
import { failure, type NodeServer, ok, refused, startNodeServer } from './testing/node-server.ts'

const batchOver = (node: NodeServer, options?: BatchOptions): Transport =>
  batch(http({ url: node.url, auth: { kind: 'token', token: 't0k3n' }, retries: 1 }), options)

const balance = (account: number): RpcRequest => ({ method: 'eth_getBalance', params: [account] })
const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }

/** Responds with the parameter. */
async function startEcho(): Promise<NodeServer> {
  const node = await startNodeServer()
  node.respond = ({ params }) => ok(params[0])
  return node
}

const sizes = (node: NodeServer): number[] =>
  node.messages.map((message) => ([JSON.parse(message)] as unknown[][]).flat().length)

describe('calls of one event-loop tick', () => {
  it('are sent in one batch, and each gets its own response', async () => {
    const node = await startEcho()
    const transport = batchOver(node)
    const results = Promise.all([1, 2, 3].map((account) => transport.request(balance(account))))
    const fourth = Promise.resolve().then(() => transport.request(balance(4)))
    expect([...(await results), await fourth]).toEqual([1, 2, 3, 4])
    expect(sizes(node)).toEqual([4])
  })

  it('are sent without a batch if there is only one', async () => {
    const node = await startEcho()
    expect(await batchOver(node).request(balance(1))).toBe(1)
    expect(node.messages[0]).toMatch(/^\{/)
  })

  it('fail individually', async () => {
    const node = await startNodeServer()
    node.respond = ({ params }) =>
      params[0] === 2 ? refused(3, 'execution reverted', '0x08') : ok(params[0])
    const transport = batchOver(node)
    const outcomes = await Promise.allSettled([1, 2, 3].map((account) => transport.request(balance(account))))
    expect(outcomes).toMatchObject([
      { value: 1 },
      { reason: { code: 'RPC_ERROR', details: { data: '0x08' } } },
      { value: 3 },
    ])
  })

  it('fail individually if they cannot be serialized', async () => {
    const node = await startEcho()
    const transport = batchOver(node)
    const outcomes = await Promise.allSettled([
      transport.request(balance(1)),
      transport.request({ method: 'eth_call', params: [1n] }),
    ])
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: expect.any(TypeError) as unknown }])
  })

  it('are split by number', async () => {
    const node = await startEcho()
    const transport = batchOver(node, { maxItems: 3 })
    const accounts = Array.from({ length: 8 }, (_, index) => index)
    expect(await Promise.all(accounts.map((account) => transport.request(balance(account))))).toEqual(
      accounts,
    )
    expect(sizes(node).toSorted((a, b) => a - b)).toEqual([2, 3, 3])
  })

  it('are split by size in bytes, counted in UTF-8', async () => {
    const node = await startEcho()
    const transport = batchOver(node, { maxBytes: 1_000 })
    const texts = [...Array.from({ length: 4 }, () => 'ü'.repeat(200)), 'x'.repeat(5_000)]
    const results = await Promise.all(
      texts.map((text) => transport.request({ method: 'eth_call', params: [text] })),
    )
    expect(results).toEqual(texts)
    expect(sizes(node).toSorted((a, b) => a - b)).toEqual([1, 2, 2])
    for (const message of node.messages.slice(0, 2)) expect(Buffer.byteLength(message)).toBeLessThan(1_000)
  })

  it('are collected for the configured time', async () => {
    const node = await startEcho()
    const transport = batchOver(node, { waitMs: 1_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = transport.request(balance(1))
    await vi.advanceTimersByTimeAsync(999)
    const second = transport.request(balance(2))
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all([first, second])
    expect(sizes(node)).toEqual([2])
  })

  it('are sent separately if their timeouts differ', async () => {
    const node = await startEcho()
    const transport = batchOver(node)
    await Promise.all([transport.request(balance(1)), transport.request(balance(2), { timeoutMs: 5_000 })])
    expect(sizes(node)).toEqual([1, 1])
  })
})

describe('calls that change state', () => {
  it('are not retried because of other calls in the same batch', async () => {
    const node = await startNodeServer()
    node.respond = () => undefined
    const transport = batchOver(node)
    await Promise.allSettled([
      transport.request(raw),
      transport.request(raw),
      transport.request(balance(1)),
      transport.request(balance(2)),
    ])
    const sent = (method: string) => node.calls.filter((call) => call.method === method).length
    expect([sent(raw.method), sent('eth_getBalance')]).toEqual([2, 4])
  })

  it('are not retried by a retry transport either', async () => {
    const node = await startNodeServer()
    node.respond = () => refused(-32603)
    const transport = retry(batchOver(node), { baseMs: 1, attempts: 2 })
    await Promise.allSettled([transport.request(raw), transport.request(raw), transport.request(balance(1))])
    expect(node.calls.filter(({ method }) => method === raw.method)).toHaveLength(2)
  })
})

describe('a caller that aborts', () => {
  const reason = new Error('enough')

  it('cancels only its own call, before and after the exchange began', async () => {
    const node = await startNodeServer()
    let release = (): void => {}
    const wait = new Promise<void>((resolve) => {
      release = resolve
    })
    node.respond = ({ params }) => wait.then(() => ok(params[0]))
    const transport = batchOver(node)
    const [firstCaller, secondCaller] = [new AbortController(), new AbortController()]
    const first = transport.request(balance(1), { signal: firstCaller.signal })
    const second = transport.request(balance(2), { signal: secondCaller.signal })
    const remaining = Promise.all([transport.request(balance(3)), transport.request(balance(4))])
    firstCaller.abort(reason)
    await expect(first).rejects.toBe(reason)
    await vi.waitFor(() => expect(node.calls).toHaveLength(3), 20_000)
    secondCaller.abort(reason)
    await expect(second).rejects.toBe(reason)
    release()
    expect(await remaining).toEqual([3, 4])
    expect(node.calls.map(({ params }) => params[0])).toEqual([2, 3, 4])
  })

  it('aborts the exchange when it is the last one', async () => {
    let signal: AbortSignal | undefined
    const inner: Transport = {
      request: () => Promise.reject(new Error('not one')),
      batch: (requests, options) => {
        signal = options?.signal
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () => {
            resolve(requests.map(() => ({ status: 'rejected', reason: signal?.reason as unknown })))
          })
        })
      },
    }
    const transport = batch(inner)
    const controllers = [new AbortController(), new AbortController()]
    const calls = controllers.map((a, index) => transport.request(balance(index), { signal: a.signal }))
    const outcomes = Promise.allSettled(calls)
    await vi.waitFor(() => expect(signal).toBeDefined(), 20_000)
    controllers[0]?.abort(reason)
    expect(signal?.aborted).toBe(false)
    controllers[1]?.abort(reason)
    expect(signal?.aborted).toBe(true)
    expect(await outcomes).toMatchObject([{ reason }, { reason }])
  })

  it('sends nothing when its signal is already aborted', async () => {
    const node = await startEcho()
    const call = batchOver(node).request(balance(1), { signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    expect(node.messages).toEqual([])
  })
})

it('settles every call, also over a transport that violates its contract', async () => {
  const broken: Transport = { request: () => Promise.reject(new Error()), batch: () => Promise.resolve([]) }
  const transport = batch(broken)
  const outcomes = await Promise.allSettled([transport.request(balance(1)), transport.request(balance(2))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

it('fails queued calls when it is closed', async () => {
  const node = await startEcho()
  const transport = batchOver(node)
  const call = failure(transport.request(balance(1)))
  transport.close?.()
  expect((await call).code).toBe('TRANSPORT_CLOSED')
  expect((await failure(transport.request(balance(1)))).code).toBe('TRANSPORT_CLOSED')
  expect(node.messages).toEqual([])
})

it('rejects invalid numbers', () => {
  const inner: Transport = { request: () => Promise.resolve() }
  expect(() => batch(inner, { maxItems: 0 })).toThrow('Invalid value of maxItems: ')
  expect(() => batch(inner, { maxBytes: Number.NaN })).toThrow('Invalid value of maxBytes: ')
  expect(() => batch(inner, { waitMs: Infinity })).toThrow('Invalid value of waitMs: ')
})
