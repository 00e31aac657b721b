import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Transport } from '../transport.ts'
import { http } from './http.ts'
import { quorum } from './quorum.ts'
import {
  failure,
  type NodeServer,
  ok,
  refused,
  type ServerAnswer,
  startNodeServer,
} from './testing/node-server.ts'

const block = { method: 'eth_getBlockByHash', params: ['0xab', false] }
const never = (): Promise<ServerAnswer> => new Promise(() => {})

async function startThree(
  ...answers: (ServerAnswer | (() => Promise<ServerAnswer>))[]
): Promise<NodeServer[]> {
  return Promise.all(
    answers.map(async (answer) => {
      const node = await startNodeServer()
      node.answer = () => (typeof answer === 'function' ? answer() : answer)
      return node
    }),
  )
}

const over = (nodes: readonly NodeServer[], needed = 2) =>
  quorum(
    nodes.map(({ url }) => http({ url, auth: { kind: 'token', token: 't0k3n' }, retries: 0 })),
    { needed },
  )

describe('an answer', () => {
  it('is the one that enough agree on, in whatever form', async () => {
    const nodes = await startThree(
      ok({ hash: '0xAB', number: '0x1', list: [{ a: 1, b: null }] }),
      ok({ hash: '0xcd', number: '0x1', list: [] }),
      ok({ list: [{ b: null, a: 1 }], number: '0x1', hash: '0xab' }),
    )
    expect(await over(nodes).request(block)).toMatchObject({ hash: expect.stringMatching(/0xab/i) as string })
  })

  it('is there before the last node has answered, whose exchange is aborted', async () => {
    const nodes = await startThree(ok(1), never, ok(1))
    const aborted = vi.fn()
    const transport = quorum(
      nodes.map(({ url }) =>
        http({
          url,
          auth: { kind: 'token', token: 't0k3n' },
          fetch: (input, init) => {
            init?.signal?.addEventListener('abort', aborted)
            return fetch(input, init)
          },
        }),
      ),
      { needed: 2 },
    )
    expect(await transport.request(block)).toBe(1)
    expect(aborted).toHaveBeenCalled()
  })

  it.each<[string, ServerAnswer[]]>([
    ['order of items', [ok([1, 2]), ok([2, 1]), ok([3])]],
    ['text that is no hex', [ok('A'), ok('a'), ok('b')]],
    ['null and nothing', [ok(null), ok(''), ok(0)]],
  ])('needs more than a likeness: %s', async (_, answers) => {
    const error = await failure(over(await startThree(...answers)).request(block))
    expect(error.context).toEqual({ operation: block.method, needed: 2, agreed: 1, asked: 3 })
    expect(error.code).toBe('RPC_QUORUM')
  })

  it('may be an error that enough agree on', async () => {
    const nodes = await startThree(
      refused(3, 'execution reverted', '0xAA'),
      ok(1),
      refused(3, 'reverted', '0xaa'),
    )
    expect((await failure(over(nodes).request(block))).context).toMatchObject({ rpcCode: 3 })
  })

  it('is not the lack of one', async () => {
    const nodes = await startThree(undefined, undefined, ok(1))
    expect((await failure(over(nodes).request(block))).code).toBe('RPC_QUORUM')
    expect(await over(nodes, 1).request(block)).toBe(1)
  })

  it('does not wait for those who cannot change anything', async () => {
    const nodes = await startThree(ok(1), ok(2), never)
    const error = await failure(over(nodes, 3).request(block))
    expect(error.context).toMatchObject({ agreed: 1, needed: 3 })
    for (const node of nodes) await node.stop()
  })

  it('is found for each call of a batch', async () => {
    const nodes = await startThree(ok(1), ok(1), ok(2))
    for (const [index, node] of nodes.entries()) {
      const { answer } = node
      node.answer = (call) => (call.method === 'eth_call' ? ok(index) : answer(call))
    }
    const outcomes = await over(nodes).batch?.([block, { method: 'eth_call', params: [] }])
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: { code: 'RPC_QUORUM' } }])
    expect(nodes.map(({ messages }) => messages.length)).toEqual([1, 1, 1])
  })
})

it('sends a call that acts to one node only, whose error is the error', async () => {
  const nodes = await startThree(ok('0x1'), ok('0x1'), ok('0x1'))
  const transport = over(nodes)
  const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }
  expect(await transport.request(raw)).toBe('0x1')
  expect(await transport.batch?.([raw, block])).toMatchObject([{ value: '0x1' }, { value: '0x1' }])
  await nodes[0]?.stop()
  expect((await failure(transport.request(raw))).code).toBe('TRANSPORT_FAILED')
  const sent = nodes.map(({ calls }) => calls.filter(({ method }) => method === raw.method).length)
  expect(sent).toEqual([2, 0, 0])
})

it('ends with the signal of the caller', async () => {
  const nodes = await startThree(never, never, never)
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.stop()))))
  const leave = new AbortController()
  const reason = new Error('enough')
  const call = over(nodes).request(block, { signal: leave.signal })
  await vi.waitFor(() => expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 1]), 20_000)
  leave.abort(reason)
  await expect(call).rejects.toBe(reason)
  await expect(over(nodes).request(block, { signal: leave.signal })).rejects.toBe(reason)
})

it('answers also for a transport that gives too few outcomes', async () => {
  const broken: Transport = { request: () => Promise.resolve(1), batch: () => Promise.resolve([]) }
  const outcomes = await quorum([broken, broken], { needed: 1 }).batch?.([
    { method: 'evm_mine' },
    { method: 'evm_mine' },
  ])
  expect(outcomes).toMatchObject([{ reason: expect.any(TypeError) }, { reason: expect.any(TypeError) }])
})

it('answers a batch also when the signal ends it', async () => {
  const nodes = await startThree(ok(1), ok(1))
  const reason = new Error('enough')
  const outcomes = await over(nodes).batch?.([block, block], { signal: AbortSignal.abort(reason) })
  expect(outcomes).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
})

it('refuses a number that cannot be reached', async () => {
  const nodes = await startThree(ok(1), ok(1))
  expect(() => over(nodes, 3)).toThrow('"option":"needed"')
  expect(() => over(nodes, 1.5)).toThrow('"option":"needed"')
  expect(() => over(nodes, 0)).toThrow('"option":"needed"')
  expect(() => over([])).toThrow('"option":"transports"')
})
