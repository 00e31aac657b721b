import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { waitFor } from '../../testing/wait-for.ts'
import { grpcInFrontOf } from '../../listen/grpc/testing/grpc-fixture.ts'
import { grpcJs } from '../../listen/grpc/testing/grpc-js-client.ts'
import { grpcNode, http2Node, startGrpcNode } from '../../listen/grpc/testing/grpc-node.ts'

it('a node that is away is not waited for, and found again', async () => {
  const first = await startGrpcNode()
  const gateway = await grpcInFrontOf(first.url)
  const client = grpcJs(gateway.url)
  expect((await client.one('a')).status.code).toBe(status.OK)
  await first.stop()
  const call = { deadline: Date.now() + 20_000 }
  // Enough attempts for a pause of seconds between them.
  for (let count = 0; count < 12; count++) {
    expect((await client.one('a', undefined, call)).status.code).toBe(status.UNAVAILABLE)
  }
  await grpcNode({}, Number(new URL(first.url).port))
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(status.OK))
})

it('streams that fill the connections to a node leave others to be opened', async () => {
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
