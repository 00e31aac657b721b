import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { faultyUpstream } from '../testing/faulty-upstream.ts'
import { createEvmUpstreams } from './evm-upstreams.ts'

/** Starts an upstream of a chain, which responds after a delay, until the running test ends. */
function upstreamOf(chainId: string, delayMs = 0): Promise<string> {
  return startTestNode(async (request, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    if (delayMs > 0) await sleep(delayMs)
    const { id, method } = JSON.parse(body) as { id: unknown; method: string }
    const hash = `0x${chainId.slice(2).padStart(64, '0')}`
    const block = { number: '0x1', hash, parentHash: `0x${'0'.repeat(64)}` }
    const result = method === 'eth_chainId' || method === 'eth_gasPrice' ? chainId : block
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
}

function openNode() {
  const upstreams = createEvmUpstreams(5_000, {}, new MemoryLedger(2 ** 20), { pollMs: 50, hedges: false })
  onTestFinished(() => upstreams.close())
  return (evm: string) => {
    const upstream = upstreams.of(grantWith({ upstreams: { evm } }), 'evm')
    return () => upstream.call('eth_gasPrice', [], AbortSignal.timeout(5_000))
  }
}

it('follows the chain of the upstreams that are in use after the others are cordoned', async () => {
  const [old, next] = [await upstreamOf('0x5'), await upstreamOf('0x1')]
  const callOf = openNode()
  expect(await callOf(`${old} ${next}`)()).toBe('0x5')
  expect(await callOf(`${old}#cordoned ${next}`)()).toBe('0x1')
  expect(await callOf(`${old} ${next}#cordoned`)()).toBe('0x5')
})

it('sends no call to an added upstream of another chain, also when the list changes twice', async () => {
  const [expected, other] = [await upstreamOf('0x1'), await upstreamOf('0x5')]
  const callOf = openNode()
  expect(await callOf(`${expected} ${expected}?second`)()).toBe('0x1')
  callOf(`${expected} ${expected}?second ${other}#roles=archive`)
  const call = callOf(`${expected} ${expected}?second ${other}#weight=100`)
  const results = await Promise.all(Array.from({ length: 50 }, call))
  expect(new Set(results)).toEqual(new Set(['0x1']))
})

it('keeps the chain of a node when an added upstream of another chain responds faster', async () => {
  const [slow, fast] = [await upstreamOf('0x1', 50), await upstreamOf('0x5')]
  const callOf = openNode()
  expect(await callOf(slow)()).toBe('0x1')
  const call = callOf(`${slow} ${fast}`)
  for (let number = 0; number < 5; number += 1) expect(await call()).toBe('0x1')
})

it('waits for the health of an added upstream, also when the list changes again', async () => {
  const [first, second, wrong] = [
    await upstreamOf('0x1', 100),
    await upstreamOf('0x1', 100),
    await upstreamOf('0x5', 50),
  ]
  const callOf = openNode()
  await callOf(`${first} ${second}`)()
  const waiting = callOf(`${wrong} ${first} ${second}`)()
  callOf(`${wrong} ${first} ${second}#weight=2`)
  expect(await waiting).toBe('0x1')
})

it('keeps the chain of a node when its list changes while the upstreams of this chain fail', async () => {
  const [right, wrong] = [
    await faultyUpstream('right', { chainId: '0x1' }),
    await faultyUpstream('wrong', { chainId: '0x5' }),
  ]
  const callOf = openNode()
  expect(await callOf(`${right.url} ${wrong.url}`)()).toBe('right')
  right.fault = 500
  const changes = [
    `${right.url} ${wrong.url}#weight=2`,
    `${wrong.url} ${right.url}`,
    `${wrong.url} ${right.url}#rps=100`,
  ]
  for (const list of changes) await expect(callOf(list)()).rejects.toThrow('HTTP 500')
  right.fault = 'none'
  await vi.waitFor(async () => expect(await callOf(changes[2] ?? '')()).toBe('right'), { timeout: 50_000 })
  expect(wrong.received).toEqual([])
})

it('keeps the chain of a node that leaves a list which other nodes have too', async () => {
  const [right, wrong] = [
    await faultyUpstream('right', { chainId: '0x1' }),
    await faultyUpstream('wrong', { chainId: '0x5' }),
  ]
  const upstreams = createEvmUpstreams(5_000, {}, new MemoryLedger(2 ** 20), { pollMs: 50, hedges: false })
  onTestFinished(() => upstreams.close())
  const callOf = (nodeId: string, evm: string) =>
    upstreams
      .forCall(grantWith({ nodeId, upstreams: { evm } }))
      .call('eth_gasPrice', [], AbortSignal.timeout(5_000))
  const list = `${right.url} ${wrong.url}`
  await callOf('other', list)
  expect(await callOf('node', list)).toBe('right')
  expect(await callOf('node', `${wrong.url} ${right.url}`)).toBe('right')
  expect(wrong.received).toEqual([])
})
