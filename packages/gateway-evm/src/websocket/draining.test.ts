import { expect, it } from 'vitest'
import { nodeThat } from '@fairlead/gateway-core/testing/serve'
import { listenTo } from '../testing/listener-fixture.ts'
import { waitFor } from '@fairlead/vitest/wait-for'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'

/** Starts an upstream that responds when the test allows it. */
async function heldNode() {
  const waiting: (() => void)[] = []
  const url = await nodeThat((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const asked = JSON.parse(text) as { id: unknown } | { id: unknown }[]
      const answers = [asked].flat().map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
      waiting.push(() => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
      })
    })
  })
  return { url, waiting, answerNext: () => waiting.shift()?.() }
}

it('is answered what it sends while the service stops and other calls are in flight', async () => {
  const node = await heldNode()
  const own = await listenTo(node.url)
  const { call, closed } = await openWebSocket(own.wsUrl)
  const first = call('eth_gasPrice')
  await waitFor(() => expect(node.waiting).toHaveLength(1))
  const stopping = own.stop()
  const second = call('eth_getBalance', [`0x${'1'.repeat(40)}`, '0x1'])
  await waitFor(() => expect(node.waiting).toHaveLength(2))
  node.answerNext()
  expect(await first).toMatchObject({ result: '0x1' })
  node.answerNext()
  expect(await second).toMatchObject({ result: '0x1' })
  expect(await closed).toEqual([1001, 'service restarts'])
  await stopping
})

it('is closed behind its answers though it always has a call in flight', async () => {
  const node = await heldNode()
  const own = await listenTo(node.url)
  const client = await openWebSocket(own.wsUrl)
  let calls = 0
  const send = () => {
    calls += 1
    const params = [`0x${String(calls).padStart(40, '0')}`, '0x1']
    client.socket.send(JSON.stringify({ jsonrpc: '2.0', id: calls, method: 'eth_getBalance', params }))
  }
  send()
  await waitFor(() => expect(node.waiting.length).toBe(1))
  const stopping = own.stop()
  let [answered, arrived, sentSince] = [0, 0, 0]
  const steady = setInterval(() => {
    send()
    const before = arrived
    arrived = answered + node.waiting.length
    sentSince = arrived === before ? sentSince + 1 : 0
    // One call stays in flight while the client's messages are read. Reading has stopped when none of the next fifty
    // arrives.
    if (node.waiting.length <= 1 && sentSince < 50) return
    node.answerNext()
    answered += 1
  }, 20)
  expect(await client.closed).toEqual([1001, 'service restarts'])
  clearInterval(steady)
  await stopping
  const [, read, sent] = /"messages_in":(\d+),"messages_out":(\d+)/.exec(own.log()) ?? []
  expect(Number(read)).toBeGreaterThan(50)
  expect(sent).toBe(read)
})
