import { frameMessage } from '@fairlead/grpc-transport'
import { connect } from 'node:http2'
import { expect, it, onTestFinished } from 'vitest'
import { testMetrics } from '@fairlead/gateway-core/testing/test-metrics'
import { eventGateway } from '@fairlead/gateway-beacon/testing/event-gateway'
import { readEvents } from '@fairlead/gateway-beacon/testing/event-reader'
import { eventServer } from '@fairlead/gateway-beacon/testing/event-server'
import { grpcInFrontOf, xToken } from '@fairlead/gateway-grpc/testing/grpc-fixture'
import { http2Node } from '@fairlead/gateway-grpc/testing/grpc-node'
import { waitFor } from '@fairlead/vitest/wait-for'
import { createMeter } from '@fairlead/gateway-core/usage/meter'
import { createUsageCounts, type UsageRow } from '@fairlead/gateway-core/usage/usage-counts'

/** Creates a meter, and a function that returns its counts by method. */
function counting() {
  const { requests } = testMetrics()
  const usage = createUsageCounts(() => 1)
  const usageRows = new Map<string, Pick<UsageRow, 'requests' | 'units' | 'bytesOut'>>()
  const counts = (method: string) => {
    for (const row of usage.drain()) {
      const before = usageRows.get(row.method) ?? { requests: 0, units: 0, bytesOut: 0 }
      usageRows.set(row.method, {
        requests: before.requests + row.requests,
        units: before.units + row.units,
        bytesOut: before.bytesOut + row.bytesOut,
      })
    }
    return usageRows.get(method)
  }
  return { meter: createMeter(requests, usage), counts }
}

it('each event that reaches a client is one unit, however it is split, and a comment is none', async () => {
  const { meter, counts } = counting()
  const node = await eventServer()
  const { url } = await eventGateway([node], {}, undefined, meter)
  const clients = await Promise.all([readEvents(`${url}?topics=head`), readEvents(`${url}?topics=head`)])
  await waitFor(() => expect(node.streams.size).toBe(1))
  const events = [1, 2, 3].map((slot) => `event: head\ndata: {"slot":"${slot}"}\n\n`)
  const text = `${events[0]}: a comment\n\n${events[1]}${events[2]}`
  const splitAt = text.indexOf('"2"')
  node.send(text.slice(0, splitAt))
  await waitFor(() => expect(clients[0]?.received().length).toBeGreaterThan(0))
  node.send(text.slice(splitAt))
  await waitFor(() =>
    expect(clients.map((client) => client.received().length)).toEqual([text.length, text.length]),
  )
  const { requests, units } = counts('eventstream') ?? {}
  expect([requests, units]).toEqual([6, 6])
})

it('each message of a gRPC stream is one unit, however it is split', async () => {
  const { meter, counts } = counting()
  const path = '/geyser.Geyser/Subscribe'
  const messages = ['a', 'bb', 'ccc'].map((text) => frameMessage(Buffer.from(text)))
  const bytes = Buffer.concat(messages)
  let finishStream = () => {}
  const node = await http2Node((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.write(bytes.subarray(0, 8))
    finishStream = () => stream.end(bytes.subarray(8))
  })
  const gateway = await grpcInFrontOf(node.url, { meter })
  const session = connect(gateway.url)
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    'x-token': xToken,
  })
  const received: Buffer[] = []
  stream.on('data', (chunk: Buffer) => received.push(chunk))
  stream.end(frameMessage(Buffer.from('request')))
  await waitFor(() => expect(received.length).toBeGreaterThan(0))
  finishStream()
  await waitFor(() => expect(Buffer.concat(received)).toEqual(bytes))
  // The call itself counts as one more.
  await waitFor(() => expect(counts(path)).toEqual({ requests: 4, units: 4, bytesOut: bytes.length }))
})
