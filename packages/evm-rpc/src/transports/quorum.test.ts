import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Transport } from '../transport.ts'
import { http } from './http.ts'
import { quorum } from './quorum.ts'
import {
  failure,
  type NodeServer,
  ok,
  refused,
  type NodeResponse,
  startNodeServer,
} from './testing/node-server.ts'

const block = { method: 'eth_getBlockByHash', params: ['0xab', false] }
const never = (): Promise<NodeResponse> => new Promise(() => {})

async function startThree(
  ...responses: (NodeResponse | (() => Promise<NodeResponse>))[]
): Promise<NodeServer[]> {
  return Promise.all(
    responses.map(async (response) => {
      const node = await startNodeServer()
      node.respond = () => (typeof response === 'function' ? response() : response)
      return node
    }),
  )
}

const quorumOver = (nodes: readonly NodeServer[], needed = 2) =>
  quorum(
    nodes.map(({ url }) => http({ url, auth: { kind: 'token', token: 't0k3n' }, retries: 0 })),
    { needed },
  )

describe('a response', () => {
  it('is the one that enough nodes agree on, in any form', async () => {
    const nodes = await startThree(
      ok({ hash: '0xAB', number: '0x1', list: [{ a: 1, b: null }] }),
      ok({ hash: '0xcd', number: '0x1', list: [] }),
      ok({ list: [{ b: null, a: 1 }], number: '0x1', hash: '0xab' }),
    )
    expect(await quorumOver(nodes).request(block)).toMatchObject({
      hash: expect.stringMatching(/0xab/i) as string,
    })
  })

  it('is available before the last node has responded, and aborts its exchange', async () => {
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

  it.each<[string, NodeResponse[]]>([
    ['order of items', [ok([1, 2]), ok([2, 1]), ok([3])]],
    ['text that is not hex', [ok('A'), ok('a'), ok('b')]],
    ['null and an empty string', [ok(null), ok(''), ok(0)]],
  ])('requires equal content: %s', async (_, responses) => {
    const error = await failure(quorumOver(await startThree(...responses)).request(block))
    expect(error.details).toEqual({ operation: block.method, needed: 2, agreed: 1, asked: 3 })
    expect(error.code).toBe('RPC_QUORUM')
  })

  it('can be an error that enough nodes agree on', async () => {
    const nodes = await startThree(
      refused(3, 'execution reverted', '0xAA'),
      ok(1),
      refused(3, 'reverted', '0xaa'),
    )
    expect((await failure(quorumOver(nodes).request(block))).details).toMatchObject({ rpcCode: 3 })
  })

  it('cannot be a missing response', async () => {
    const nodes = await startThree(undefined, undefined, ok(1))
    const error = await failure(quorumOver(nodes).request(block))
    expect(error).toMatchObject({ code: 'RPC_QUORUM', cause: { code: 'TRANSPORT_FAILED' } })
    expect(await quorumOver(nodes, 1).request(block)).toBe(1)
  })

  it('does not wait for nodes that cannot change the result', async () => {
    const nodes = await startThree(ok(1), ok(2), never)
    const error = await failure(quorumOver(nodes, 3).request(block))
    expect(error.details).toMatchObject({ agreed: 1, needed: 3 })
    for (const node of nodes) await node.stop()
  })

  it('is determined for each call of a batch', async () => {
    const nodes = await startThree(ok(1), ok(1), ok(2))
    for (const [index, node] of nodes.entries()) {
      const { respond: answer } = node
      node.respond = (call) => (call.method === 'eth_call' ? ok(index) : answer(call))
    }
    const outcomes = await quorumOver(nodes).batch?.([block, { method: 'eth_call', params: [] }])
    expect(outcomes).toMatchObject([{ value: 1 }, { reason: { code: 'RPC_QUORUM' } }])
    expect(nodes.map(({ messages }) => messages.length)).toEqual([1, 1, 1])
  })
})

it('sends a call that changes state to one node only, and returns its error', async () => {
  const nodes = await startThree(ok('0x1'), ok('0x1'), ok('0x1'))
  const transport = quorumOver(nodes)
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
  const controller = new AbortController()
  const reason = new Error('enough')
  const call = quorumOver(nodes).request(block, { signal: controller.signal })
  await vi.waitFor(() => expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 1]), 20_000)
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
  await expect(quorumOver(nodes).request(block, { signal: controller.signal })).rejects.toBe(reason)
})

it('settles all calls for a transport that returns too few outcomes', async () => {
  const broken: Transport = { request: () => Promise.resolve(1), batch: () => Promise.resolve([]) }
  const outcomes = await quorum([broken, broken], { needed: 1 }).batch?.([
    { method: 'evm_mine' },
    { method: 'evm_mine' },
  ])
  expect(outcomes).toMatchObject([{ reason: expect.any(TypeError) }, { reason: expect.any(TypeError) }])
})

it('settles a batch that the signal aborts', async () => {
  const nodes = await startThree(ok(1), ok(1))
  const reason = new Error('enough')
  const outcomes = await quorumOver(nodes).batch?.([block, block], { signal: AbortSignal.abort(reason) })
  expect(outcomes).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
})

it('rejects a number that cannot be reached', async () => {
  const nodes = await startThree(ok(1), ok(1))
  expect(() => quorumOver(nodes, 3)).toThrow('Invalid value of needed: ')
  expect(() => quorumOver(nodes, 1.5)).toThrow('Invalid value of needed: ')
  expect(() => quorumOver(nodes, 0)).toThrow('Invalid value of needed: ')
  expect(() => quorumOver([])).toThrow('Invalid value of transports: ')
})
