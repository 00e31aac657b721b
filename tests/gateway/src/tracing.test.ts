import { expect, it, onTestFinished, vi } from 'vitest'
import { gatewayFixture } from './gateway-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { grpcNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { traceReceiver } from './trace-receiver.ts'
import { responseWithCallId } from '@fairlead/gateway-core/testing/with-call-id'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const patience = { timeout: 50_000 }

/** Starts a node that responds to every call, and stores the trace context that it received. */
async function tracedNode() {
  const received: (string | undefined)[] = []
  const url = await startTestNode(async (request, response) => {
    const { traceparent } = request.headers
    received.push(typeof traceparent === 'string' ? traceparent : undefined)
    const text = await responseWithCallId(request, '{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    response.setHeader('content-type', 'application/json').end(text)
  })
  return { url, received }
}

async function tracedGateway(environment: Readonly<Record<string, string>>, node: string) {
  const gateway = await gatewayFixture(environment, node)
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await gateway.stop()
    isStopped = true
  }
  onTestFinished(stop)
  const { token } = gateway.first
  const call = async (method: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    const response = await fetch(`${gateway.url}/${token}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return response.json()
  }
  return { ...gateway, stop, token, call }
}

it('continues the trace of a client to the node, and exports its spans', async () => {
  const receiver = await traceReceiver()
  const node = await tracedNode()
  const endpoint = receiver.url.replace('http://', 'http://collector:c4n4ry-password@')
  const gateway = await tracedGateway(
    { FAIRLEAD_TRACING_ENDPOINT: endpoint, FAIRLEAD_TRACING_RATIO: '0' },
    node.url,
  )
  await gateway.call('eth_gasPrice', { traceparent: `00-${traceId}-${parentId}-01` })
  await gateway.call('eth_gasPrice')
  const metrics = await gateway.registry.metrics()
  const upstreamId = /fairlead_upstream_calls_total\{upstream="(.*)"\}/.exec(metrics)?.[1]
  await gateway.stop()
  await vi.waitFor(() => expect(receiver.spans.length).toBeGreaterThanOrEqual(2), patience)
  const request = receiver.spans.find(({ name }) => name === 'eth_gasPrice')
  const upstream = receiver.spans.find(({ name }) => name === 'upstream')
  expect(receiver.spans).toHaveLength(2)
  expect(request).toMatchObject({ traceId, parentSpanId: parentId, kind: 2 })
  expect(request?.attributes).toMatchObject({
    'rpc.system': 'jsonrpc',
    'rpc.method': 'eth_gasPrice',
    'http.response.status_code': 200,
    'fairlead.node_id': gateway.first.nodeId,
    'fairlead.credential_id': expect.any(String),
  })
  expect(upstream).toMatchObject({ traceId, parentSpanId: request?.spanId, kind: 3 })
  expect(upstream?.attributes['fairlead.upstream']).toBe(upstreamId)
  expect(node.received).toContain(`00-${traceId}-${upstream?.spanId}-01`)
  // The password authenticates at the receiver, and appears nowhere else.
  const authorization = `Basic ${Buffer.from('collector:c4n4ry-password').toString('base64')}`
  expect(receiver.text()).toContain(authorization)
  for (const text of [receiver.text(), gateway.log()]) {
    expect(text).not.toContain('c4n4ry-password')
    expect(text).not.toContain(gateway.token)
  }
  expect(receiver.text()).not.toContain(new URL(node.url).host)
}, 60_000)

it('continues the trace of a gRPC call to its node, and records its status', async () => {
  const receiver = await traceReceiver()
  const node = await grpcNode()
  const environment = { FAIRLEAD_TRACING_ENDPOINT: receiver.url, FAIRLEAD_TRACING_RATIO: '0' }
  const gateway = await gatewayFixture(environment, 'http://127.0.0.1:1', { grpc: node.url })
  let isStopped = false
  onTestFinished(() => (isStopped ? undefined : gateway.stop()))
  const client = grpcJs(gateway.url, gateway.first.xToken)
  client.metadata.set('traceparent', `00-${traceId}-${parentId}-01`)
  await client.one('a')
  await client.one('fail there is none')
  isStopped = true
  await gateway.stop()
  await vi.waitFor(() => expect(receiver.spans).toHaveLength(2), patience)
  const [succeeded, failed] = receiver.spans
  expect(succeeded).toMatchObject({ traceId, parentSpanId: parentId, kind: 2 })
  expect(succeeded?.attributes).toMatchObject({
    'rpc.system': 'grpc',
    'rpc.method': 'unknown',
    'fairlead.protocol': 'grpc',
    'fairlead.node_id': gateway.first.nodeId,
  })
  const codes = [succeeded, failed].map((span) => Number(span?.attributes['rpc.grpc.status_code']))
  expect(codes).toEqual([0, 5])
  expect(node.calls.map(({ metadata }) => metadata['traceparent'])).toEqual(
    [succeeded, failed].map((span) => `00-${traceId}-${span?.spanId}-01`),
  )
  expect(receiver.text()).not.toContain('there is none')
}, 60_000)

it('samples the configured ratio of requests, and records how a node failed', async () => {
  const receiver = await traceReceiver()
  const node = await startTestNode((request) => request.socket.destroy())
  const gateway = await tracedGateway(
    { FAIRLEAD_TRACING_ENDPOINT: receiver.url, FAIRLEAD_TRACING_RATIO: '1' },
    node,
  )
  await gateway.call('eth_gasPrice')
  await gateway.stop()
  await vi.waitFor(() => expect(receiver.spans.length).toBeGreaterThanOrEqual(2), patience)
  const upstream = receiver.spans.find(({ name }) => name === 'upstream')
  expect(upstream?.attributes['error.type']).toBe('reset')
  const request = receiver.spans.find(({ name }) => name === 'eth_gasPrice')
  expect(request?.attributes).toMatchObject({ 'error.type': '502', 'http.response.status_code': 502 })
}, 60_000)

it('has a span for each attempt at a beacon node', async () => {
  const receiver = await traceReceiver()
  const node = await startTestNode((request) => request.socket.destroy())
  const environment = { FAIRLEAD_TRACING_ENDPOINT: receiver.url, FAIRLEAD_TRACING_RATIO: '1' }
  const gateway = await gatewayFixture(environment, 'http://127.0.0.1:1', { beacon: node })
  const { token } = gateway.first
  const response = await fetch(`${gateway.url}/beacon/${token}/eth/v1/node/version`)
  await gateway.stop()
  expect(response.status).toBe(502)
  await vi.waitFor(() => expect(receiver.spans.length).toBeGreaterThanOrEqual(2), patience)
  const upstream = receiver.spans.find(({ name }) => name === 'upstream')
  expect(upstream?.attributes).toMatchObject({
    'fairlead.upstream': expect.stringMatching(/^[\w-]{8}$/),
    'error.type': 'reset',
  })
}, 60_000)

it('does not affect a client when the collector is unreachable', async () => {
  const node = await tracedNode()
  const environment = {
    FAIRLEAD_TRACING_ENDPOINT: 'http://127.0.0.1:1/v1/traces',
    FAIRLEAD_TRACING_RATIO: '1',
  }
  const gateway = await tracedGateway(environment, node.url)
  expect(await gateway.call('eth_gasPrice')).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
  await gateway.stop()
}, 60_000)

it('forwards the trace of a client without tracing, and drops an invalid one', async () => {
  const node = await tracedNode()
  const gateway = await tracedGateway({}, node.url)
  await gateway.call('eth_gasPrice', { traceparent: `00-${traceId}-${parentId}-00` })
  expect(node.received.at(-1)).toBe(`00-${traceId}-${parentId}-00`)
  for (const traceparent of [
    '00-x-y-01',
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
  ]) {
    await gateway.call('eth_gasPrice', { traceparent })
    expect(node.received.at(-1)).toBeUndefined()
  }
}, 60_000)
