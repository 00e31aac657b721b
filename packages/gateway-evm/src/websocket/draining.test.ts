import { expect, it } from 'vitest'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { listenTo } from '../testing/listener-fixture.ts'
import { waitFor } from '@fairlead/vitest/wait-for'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'

/** Starts an upstream that responds when the test allows it. */
async function heldNode() {
  const waiting: (() => void)[] = []
  const url = await startTestNode((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const body = JSON.parse(text) as { id: unknown } | { id: unknown }[]
      const responses = [body].flat().map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
      waiting.push(() => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(Array.isArray(body) ? responses : responses[0]))
      })
    })
  })
  return { url, waiting, respondNext: () => waiting.shift()?.() }
}

it('responds to calls that arrive during shutdown while others are in flight', async () => {
  const node = await heldNode()
  const gateway = await listenTo(node.url)
  const { call, closed } = await openWebSocket(gateway.wsUrl)
  const first = call('eth_gasPrice')
  await waitFor(() => expect(node.waiting).toHaveLength(1))
  const stopping = gateway.stop()
  const second = call('eth_getBalance', [`0x${'1'.repeat(40)}`, '0x1'])
  await waitFor(() => expect(node.waiting).toHaveLength(2))
  node.respondNext()
  expect(await first).toMatchObject({ result: '0x1' })
  node.respondNext()
  expect(await second).toMatchObject({ result: '0x1' })
  expect(await closed).toEqual([1001, 'gateway restart'])
  await stopping
})

it('is closed after its responses even if a call is always in flight', async () => {
  const node = await heldNode()
  const gateway = await listenTo(node.url)
  const client = await openWebSocket(gateway.wsUrl)
  let calls = 0
  const send = () => {
    calls += 1
    const params = [`0x${String(calls).padStart(40, '0')}`, '0x1']
    client.socket.send(JSON.stringify({ jsonrpc: '2.0', id: calls, method: 'eth_getBalance', params }))
  }
  send()
  await waitFor(() => expect(node.waiting.length).toBe(1))
  const stopping = gateway.stop()
  let [responded, arrived, sentSince] = [0, 0, 0]
  const interval = setInterval(() => {
    send()
    const before = arrived
    arrived = responded + node.waiting.length
    sentSince = arrived === before ? sentSince + 1 : 0
    // One call stays in flight while the client's messages are read. Reading has stopped when none of the next fifty
    // arrives.
    if (node.waiting.length <= 1 && sentSince < 50) return
    node.respondNext()
    responded += 1
  }, 20)
  expect(await client.closed).toEqual([1001, 'gateway restart'])
  clearInterval(interval)
  await stopping
  const [, read, sent] = /"messages_in":(\d+),"messages_out":(\d+)/.exec(gateway.log()) ?? []
  expect(Number(read)).toBeGreaterThan(50)
  expect(sent).toBe(read)
})
