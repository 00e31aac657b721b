import { once } from 'node:events'
import { constants } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { expect, it, onTestFinished } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { Status } from '@fairlead/grpc-transport/wire'
import { grantWith } from '@fairlead/gateway-core/testing/limited-grant'
import { createGrpcUpstreams } from './grpc-upstreams.ts'
import { grpcInFrontOf } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode, http2Node, startGrpcNode } from '../testing/grpc-node.ts'

it('calls fail fast while an upstream is down and succeed when it recovers', async () => {
  const first = await startGrpcNode()
  const gateway = await grpcInFrontOf(first.url)
  const client = grpcJs(gateway.url)
  expect((await client.one('a')).status.code).toBe(status.OK)
  await first.stop()
  const call = { deadline: Date.now() + 20_000 }
  // Enough attempts for a delay of several seconds between them.
  for (let count = 0; count < 12; count++) {
    expect((await client.one('a', undefined, call)).status.code).toBe(status.UNAVAILABLE)
  }
  await grpcNode({}, Number(new URL(first.url).port))
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(status.OK))
})

it('opens another connection when the existing ones are full', async () => {
  const node = await http2Node((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
  })
  node.server.on('session', (session) => session.settings({ maxConcurrentStreams: 1 }))
  const client = grpcJs((await grpcInFrontOf(node.url)).url)
  const headers = () => once(client.echo().call, 'metadata')
  await headers()
  for (let count = 1; count < 20; count++) await headers()
  expect(node.sessions.size).toBe(20)
})

it.each([1, 60, 150])('%i credentials leave streams for another organization', async (credentials) => {
  const node = await http2Node((stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' })
  })
  node.server.on('session', (session) => session.settings({ maxConcurrentStreams: 1 }))
  const other = await http2Node((stream) => stream.respond({ ':status': 200 }))
  const upstreams = createGrpcUpstreams({ connectTimeoutMs: 5_000, embedded: undefined })
  onTestFinished(() => upstreams.close())
  const open = async (organizationId: string, at: number, grpc = node.url) => {
    const ids = {
      organizationId,
      projectId: `${organizationId} ${at % 7}`,
      credentialId: `${at % credentials}`,
    }
    const grant = grantWith({ ...ids, nodeId: `${organizationId} ${grpc}`, upstreams: { grpc } })
    const headers = { ':method': 'POST', ':path': '/a.B/C' }
    const { stream } = await upstreams.of(grant).current.open({ headers, tenant: grant })
    stream.on('error', () => undefined)
    await once(stream, 'response')
    return stream
  }
  const streams = []
  // 7/8 of 128 connections with one stream each.
  for (let at = 0; at < 112; at += 1) streams.push(await open('a', at))
  await expect(open('a', 112)).rejects.toMatchObject({ code: Status.RESOURCE_EXHAUSTED })
  for (let at = 0; at < 8; at += 1) await open('b', at)
  // Another upstream of the node may have streams left.
  await open('a', 113, `${node.url} ${other.url}`)
  for (const stream of streams.slice(0, 60)) stream.close()
  await waitFor(() => open('a', 114).then(() => true))
})

it('a call that an upstream resets with ENHANCE_YOUR_CALM ends with RESOURCE_EXHAUSTED', async () => {
  const node = await http2Node((stream) => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM))
  const { status: end } = await grpcJs((await grpcInFrontOf(node.url)).url).one('a')
  expect([end.code, end.details]).toEqual([
    status.RESOURCE_EXHAUSTED,
    'The call exceeds a limit of the upstream.',
  ])
})

it.each([15, 20, 40, 60])('metadata of %i kB affects only its own call', async (kilobytes) => {
  const node = await grpcNode()
  const client = grpcJs((await grpcInFrontOf(node.url)).url)
  client.metadata.set('x-long', 'x'.repeat(kilobytes * 1_000))
  const { status: end } = await client.one('a')
  expect([kilobytes, end.code]).toEqual([kilobytes, kilobytes === 15 ? status.OK : status.RESOURCE_EXHAUSTED])
  client.metadata.remove('x-long')
  expect((await client.one('a')).status.code).toBe(status.OK)
})

it('metadata of 1,000 entries affects only its own call', async () => {
  const client = grpcJs((await grpcInFrontOf((await grpcNode()).url)).url)
  for (let entry = 0; entry < 1_000; entry++) client.metadata.add('x-entry', String(entry))
  expect((await client.one('a')).status.code).toBe(status.RESOURCE_EXHAUSTED)
  client.metadata.remove('x-entry')
  expect((await client.one('a')).status.code).toBe(status.OK)
})

it('a message of 65 MiB affects only its own call', async () => {
  const client = grpcJs((await grpcInFrontOf((await grpcNode()).url)).url)
  expect((await client.one('a'.repeat(65 << 20))).status.code).toBe(status.RESOURCE_EXHAUSTED)
  expect((await client.one('a')).status.code).toBe(status.OK)
})

const times = { intervalMs: 100, checkTimeoutMs: 500, firstRoundMs: 500, idleMs: 60_000 }

async function twoNodes() {
  const [a, b] = [await startGrpcNode(), await grpcNode()]
  onTestFinished(a.stop)
  const gateway = await grpcInFrontOf(`${a.url} ${b.url}`, { healthTimes: times })
  return { a, b, gateway, client: grpcJs(gateway.url) }
}

it('calls use the first of several upstreams, and the next one while it is down', async () => {
  const { a, b, client } = await twoNodes()
  for (let count = 0; count < 3; count++) expect((await client.one('a')).status.code).toBe(status.OK)
  expect([a.calls.length, b.calls.length]).toEqual([3, 0])
  await a.stop()
  for (let count = 0; count < 5; count++) expect((await client.one('a')).status.code).toBe(status.OK)
  expect(b.calls.length).toBe(5)
  const restarted = await grpcNode({}, Number(new URL(a.url).port))
  await b.stop()
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(status.OK))
  expect(restarted.calls.length).toBeGreaterThan(0)
})

it('streams open at the next upstream while the first one is down', async () => {
  const { a, b, client } = await twoNodes()
  await a.stop()
  const outcome = await client.split('a+b').ended
  expect([outcome.status.code, outcome.messages]).toEqual([status.OK, ['a', 'b']])
  expect(b.calls).toHaveLength(1)
})

it('reports UNAVAILABLE and the failing upstreams when all are down', async () => {
  const { a, b, gateway, client } = await twoNodes()
  await client.one('a')
  await Promise.all([a.stop(), b.stop()])
  const { status: end } = await client.one('a')
  expect([end.code, end.details]).toEqual([status.UNAVAILABLE, 'The upstream is unreachable.'])
  await waitFor(() =>
    expect(gateway.states()).toMatchObject([
      { nodes: ['node'], position: 0, class: 'failing' },
      { nodes: ['node'], position: 1, class: 'failing' },
    ]),
  )
})

it('a cordoned upstream receives no calls', async () => {
  const [a, b] = [await grpcNode(), await grpcNode()]
  const client = grpcJs((await grpcInFrontOf(`${a.url}#cordoned ${b.url}`, { healthTimes: times })).url)
  await client.one('a')
  expect([a.calls.length, b.calls.length]).toEqual([0, 1])
})

it('counts calls whose connection is lost, and sends the next ones to another upstream', async () => {
  const lossy = await http2Node((stream) => stream.session?.destroy())
  const healthy = await grpcNode()
  const gateway = await grpcInFrontOf(`${lossy.url} ${healthy.url}`, { healthTimes: times })
  const client = grpcJs(gateway.url)
  let failures = 0
  await waitFor(async () => {
    const { code } = (await client.one('a')).status
    if (code !== status.OK) failures += 1
    expect(code).toBe(status.OK)
  })
  expect(failures).toBeGreaterThan(0)
  await waitFor(() => expect(gateway.states()[0]?.failures).toBe(failures))
  expect(healthy.calls).toHaveLength(1)
})

it('a single upstream that refused a connection is healthy again after a call', async () => {
  const first = await startGrpcNode()
  const gateway = await grpcInFrontOf(first.url)
  const client = grpcJs(gateway.url)
  await first.stop()
  expect((await client.one('a')).status.code).toBe(status.UNAVAILABLE)
  expect(gateway.states()).toMatchObject([{ class: 'failing' }])
  await grpcNode({}, Number(new URL(first.url).port))
  await waitFor(async () => {
    await client.one('a')
    expect(gateway.states()).toMatchObject([{ class: 'ready', breaker: 'closed' }])
  })
})

it('one of several upstreams is healthy again after a call that no other one accepts', async () => {
  const [first, second] = [await startGrpcNode(), await startGrpcNode()]
  const gateway = await grpcInFrontOf(`${first.url} ${second.url}`, {
    healthTimes: { ...times, intervalMs: 600_000 },
  })
  const client = grpcJs(gateway.url)
  await first.stop()
  expect((await client.one('a')).status.code).toBe(status.OK)
  expect(gateway.states()).toMatchObject([{ class: 'failing' }, { class: 'ready' }])
  await grpcNode({}, Number(new URL(first.url).port))
  await second.stop()
  await waitFor(async () => {
    await client.one('a')
    expect(gateway.states()).toMatchObject([{ class: 'ready', breaker: 'closed' }, { class: 'failing' }])
  })
})
