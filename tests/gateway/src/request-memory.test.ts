import { connect } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { memoryFactors, MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { beaconInFrontOf, beaconToken } from '@fairlead/gateway-beacon/testing/beacon-fixture'
import { jettonToken, listenToJetton } from '@fairlead/gateway-jetton/testing/jetton-fixture'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '@fairlead/gateway-evm/testing/listener-fixture'
import { respondWith } from '@fairlead/gateway-core/testing/with-call-id'

const unreachableNode = 'http://127.0.0.1:9'

/** Listeners of every protocol with a given memory budget for bodies, and a path that accepts a body. */
const listeners = {
  evm: async (memory: MemoryLedger) => {
    const node = await startTestNode(respondWith('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
    return { ...(await inFrontOf(node, { memory })), path: `/${token}` }
  },
  beacon: async (memory: MemoryLedger) => ({
    ...(await beaconInFrontOf(unreachableNode, { memory })),
    path: `/beacon/${beaconToken}/eth/v1/beacon/states/head/validators`,
  }),
  jetton: async (memory: MemoryLedger) => {
    const listener = await listenToJetton(unreachableNode, { memory })
    onTestFinished(() => listener.stop())
    return { ...listener, path: `/${jettonToken}/api/v2/jsonRPC` }
  },
}

it.each(['evm', 'beacon', 'jetton'] as const)('bodies of %s share one memory budget', async (protocol) => {
  // All clients use one credential, which may hold seven eighths.
  const memory = new MemoryLedger(200_000 * memoryFactors.request)
  const held = () => memory.states().reserved / memoryFactors.request
  const { url, port, path } = await listeners[protocol](memory)
  const post = async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body: ' '.repeat(100_000) })
    return { status: response.status, text: await response.text() }
  }
  const before = await post()
  expect([200, 422, 502]).toContain(before.status)
  const slowClient = connect(port, '127.0.0.1')
  onTestFinished(() => void slowClient.destroy())
  slowClient.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 90000\r\n\r\n${' '.repeat(80_000)}`,
  )
  await vi.waitFor(() => expect(held()).toBeGreaterThan(79_000), { timeout: 50_000 })
  expect(await post()).toEqual({
    status: 503,
    text: expect.stringContaining('memory limit for request bodies'),
  })
  slowClient.destroy()
  await vi.waitFor(() => expect(held()).toBe(0), { timeout: 50_000 })
  expect(await post()).toEqual(before)
  expect(held()).toBe(0)
})

it('responses that TON adapters buffer are counted, and released', async () => {
  const memory = new MemoryLedger(200_000)
  let length = 100_000
  const node = await startTestNode((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ok: true, result: { padding: ' '.repeat(length) } }))
  })
  const listener = await listenToJetton(node, { memory })
  onTestFinished(() => listener.stop())
  const shards = () => listener.call('/api/v2/getShards?seqno=1')
  const rejected = await shards()
  expect(rejected.status).toBe(503)
  expect(await rejected.text()).toContain('exceed the memory limit of the gateway')
  expect(memory.states().reserved).toBe(0)
  length = 50_000
  expect((await shards()).status).toBe(200)
  expect(memory.states().reserved).toBe(0)
})

it('a response that its client does not read is counted until the client has disconnected', async () => {
  const memory = new MemoryLedger(2 ** 30)
  const node = await startTestNode(respondWith(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(60_000)}"}`))
  const { port } = await inFrontOf(node, { memory })
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const body = `[${Array.from({ length: 200 }, () => call).join(',')}]`
  const client = connect(port, '127.0.0.1').pause()
  onTestFinished(() => void client.destroy())
  client.write(
    `POST /${token} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await vi.waitFor(() => expect(memory.states().reserved).toBeGreaterThan(200 * 60_000), {
    timeout: 50_000,
  })
  client.destroy()
  await vi.waitFor(() => expect(memory.states().reserved).toBe(0), { timeout: 50_000 })
})

it('a response that its client may not hold is replaced by an error', async () => {
  const node = await startTestNode(respondWith(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(60_000)}"}`))
  const { url } = await inFrontOf(node, { memory: new MemoryLedger(50_000) })
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/${token}`, { method: 'POST', body, headers })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('memory limit') } })
})
