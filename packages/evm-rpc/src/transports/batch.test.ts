import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RpcRequest, Transport } from '../transport.ts'
import { batch, type BatchOptions } from './batch.ts'
import { http } from './http.ts'
import { retry } from './retry.ts'
import { failure, type NodeServer, ok, refused, startNodeServer } from './testing/node-server.ts'

const over = (node: NodeServer, options?: BatchOptions): Transport =>
  batch(http({ url: node.url, auth: { kind: 'token', token: 't0k3n' }, retries: 1 }), options)

const balance = (account: number): RpcRequest => ({ method: 'eth_getBalance', params: [account] })
const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }

/** Responds with the parameter. */
async function startEcho(): Promise<NodeServer> {
  const node = await startNodeServer()
  node.answer = ({ params }) => ok(params[0])
  return node
}

const sizes = (node: NodeServer): number[] =>
  node.messages.map((message) => ([JSON.parse(message)] as unknown[][]).flat().length)

describe('calls of one turn', () => {
  it('travel together, and each gets its own answer', async () => {
    const node = await startEcho()
    const transport = over(node)
    const answers = Promise.all([1, 2, 3].map((account) => transport.request(balance(account))))
    const fourth = Promise.resolve().then(() => transport.request(balance(4)))
    expect([...(await answers), await fourth]).toEqual([1, 2, 3, 4])
    expect(sizes(node)).toEqual([4])
  })

  it('that are one go out plain', async () => {
    const node = await startEcho()
    expect(await over(node).request(balance(1))).toBe(1)
    expect(node.messages[0]).toMatch(/^\{/)
  })

  it('fail one by one', async () => {
    const node = await startNodeServer()
    node.answer = ({ params }) => (params[0] === 2 ? refused(3, 'execution reverted', '0x08') : ok(params[0]))
    const transport = over(node)
    const outcomes = await Promise.allSettled([1, 2, 3].map((account) => transport.request(balance(account))))
    expect(outcomes).toMatchObject([
      { value: 1 },
      { reason: { code: 'RPC_ERROR', context: { data: '0x08' } } },
      { value: 3 },
    ])
  })

  it('that cannot be written down fail alone', async () => {
    const node = await startEcho()
    const transport = over(node)
    const outcomes = await Promise.allSettled([
      transport.request(balance(1)),
      transport.request({ method: 'eth_call', params: [1n] }),
    ])
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: expect.any(TypeError) as unknown }])
  })

  it('are split by number', async () => {
    const node = await startEcho()
    const transport = over(node, { maxItems: 3 })
    const accounts = Array.from({ length: 8 }, (_, index) => index)
    expect(await Promise.all(accounts.map((account) => transport.request(balance(account))))).toEqual(
      accounts,
    )
    expect(sizes(node).toSorted((one, other) => one - other)).toEqual([2, 3, 3])
  })

  it('are split by bytes, those of other alphabets counted as they travel', async () => {
    const node = await startEcho()
    const transport = over(node, { maxBytes: 1_000 })
    const texts = [...Array.from({ length: 4 }, () => 'ü'.repeat(200)), 'x'.repeat(5_000)]
    const answers = await Promise.all(
      texts.map((text) => transport.request({ method: 'eth_call', params: [text] })),
    )
    expect(answers).toEqual(texts)
    expect(sizes(node).toSorted((one, other) => one - other)).toEqual([1, 2, 2])
    for (const message of node.messages.slice(0, 2)) expect(Buffer.byteLength(message)).toBeLessThan(1_000)
  })

  it('wait for each other as long as is asked for', async () => {
    const node = await startEcho()
    const transport = over(node, { waitMs: 1_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = transport.request(balance(1))
    await vi.advanceTimersByTimeAsync(999)
    const second = transport.request(balance(2))
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all([first, second])
    expect(sizes(node)).toEqual([2])
  })

  it('with different limits of time travel apart', async () => {
    const node = await startEcho()
    const transport = over(node)
    await Promise.all([transport.request(balance(1)), transport.request(balance(2), { timeoutMs: 5_000 })])
    expect(sizes(node)).toEqual([1, 1])
  })
})

describe('calls that act', () => {
  it('are not sent again because they were made together with others', async () => {
    const node = await startNodeServer()
    node.answer = () => undefined
    const transport = over(node)
    await Promise.allSettled([
      transport.request(raw),
      transport.request(raw),
      transport.request(balance(1)),
      transport.request(balance(2)),
    ])
    const sent = (method: string) => node.calls.filter((call) => call.method === method).length
    expect([sent(raw.method), sent('eth_getBalance')]).toEqual([2, 4])
  })

  it('keep that under a retry', async () => {
    const node = await startNodeServer()
    node.answer = () => refused(-32603)
    const transport = retry(over(node), { baseMs: 1, attempts: 2 })
    await Promise.allSettled([transport.request(raw), transport.request(raw), transport.request(balance(1))])
    expect(node.calls.filter(({ method }) => method === raw.method)).toHaveLength(2)
  })
})

describe('a caller that leaves', () => {
  const reason = new Error('enough')

  it('leaves alone, before and after the exchange began', async () => {
    const node = await startNodeServer()
    let give = (): void => {}
    const wait = new Promise<void>((resolve) => {
      give = resolve
    })
    node.answer = ({ params }) => wait.then(() => ok(params[0]))
    const transport = over(node)
    const [early, late] = [new AbortController(), new AbortController()]
    const first = transport.request(balance(1), { signal: early.signal })
    const second = transport.request(balance(2), { signal: late.signal })
    const others = Promise.all([transport.request(balance(3)), transport.request(balance(4))])
    early.abort(reason)
    await expect(first).rejects.toBe(reason)
    await vi.waitFor(() => expect(node.calls).toHaveLength(3), 20_000)
    late.abort(reason)
    await expect(second).rejects.toBe(reason)
    give()
    expect(await others).toEqual([3, 4])
    expect(node.calls.map(({ params }) => params[0])).toEqual([2, 3, 4])
  })

  it('ends the exchange when it is the last one', async () => {
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
    const leave = [new AbortController(), new AbortController()]
    const calls = leave.map((one, index) => transport.request(balance(index), { signal: one.signal }))
    const outcomes = Promise.allSettled(calls)
    await vi.waitFor(() => expect(signal).toBeDefined(), 20_000)
    leave[0]?.abort(reason)
    expect(signal?.aborted).toBe(false)
    leave[1]?.abort(reason)
    expect(signal?.aborted).toBe(true)
    expect(await outcomes).toMatchObject([{ reason }, { reason }])
  })

  it('was never there when its signal is aborted already', async () => {
    const node = await startEcho()
    const call = over(node).request(balance(1), { signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    expect(node.messages).toEqual([])
  })
})

it('answers everybody, also over a transport that does not keep its word', async () => {
  const broken: Transport = { request: () => Promise.reject(new Error()), batch: () => Promise.resolve([]) }
  const transport = batch(broken)
  const outcomes = await Promise.allSettled([transport.request(balance(1)), transport.request(balance(2))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

it('ends what waits when it is closed', async () => {
  const node = await startEcho()
  const transport = over(node)
  const call = failure(transport.request(balance(1)))
  transport.close?.()
  expect((await call).code).toBe('TRANSPORT_CLOSED')
  expect((await failure(transport.request(balance(1)))).code).toBe('TRANSPORT_CLOSED')
  expect(node.messages).toEqual([])
})

it('refuses numbers that cannot work', () => {
  const inner: Transport = { request: () => Promise.resolve() }
  expect(() => batch(inner, { maxItems: 0 })).toThrow('"option":"maxItems"')
  expect(() => batch(inner, { maxBytes: Number.NaN })).toThrow('"option":"maxBytes"')
  expect(() => batch(inner, { waitMs: Infinity })).toThrow('"option":"waitMs"')
})
