import { GrpcError, implement, Status } from '@fairlead/grpc-transport'
import { createChannel, createClient } from 'nice-grpc'
import { watchStartedTimers } from '@fairlead/vitest/started-timers'
import { afterEach, describe, expect, it } from 'vitest'
import { createGrpcClient } from './client.ts'
import { GeyserDefinition } from './geyser.ts'
import { HealthCheckResponse_ServingStatus, HealthDefinition } from './health.ts'
import { waitUntilServing } from './health/wait-until-serving.ts'
import { failure } from './testing/outcomes.ts'
import { serve } from './testing/serve.ts'

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

describe('the wait for a service', () => {
  it('ends when it serves, also if the server is not available at first', async () => {
    const statuses: string[] = []
    let count = 0
    const server = await serve(
      implement(HealthDefinition, {
        async *watch({ service }) {
          statuses.push(service)
          count += 1
          if (count === 1) throw new GrpcError(Status.UNAVAILABLE, 'starting')
          for (const status of [SERVICE_UNKNOWN, NOT_SERVING, SERVING]) yield { status }
          await new Promise(() => {})
        },
      }),
    )
    const client = createGrpcClient(HealthDefinition, { url: server.url })
    closing.push(server.stop, client.close)
    await waitUntilServing(client, 'geyser.Geyser')
    expect(statuses).toEqual(['geyser.Geyser', 'geyser.Geyser'])
  })

  it('ends with any other status, and with the reason of the signal', async () => {
    const without = await serve(implement(GeyserDefinition, {}))
    const client = createGrpcClient(HealthDefinition, { url: without.url })
    const absent = createGrpcClient(HealthDefinition, { url: 'http://127.0.0.1:1' })
    closing.push(without.stop, client.close, absent.close)
    expect((await failure(waitUntilServing(client))).details).toMatchObject({ status: Status.UNIMPLEMENTED })
    const reason = new Error('enough')
    const controller = new AbortController()
    const timerStarted = watchStartedTimers()
    const wait = waitUntilServing(absent, '', { signal: controller.signal })
    await timerStarted(1_000)
    controller.abort(reason)
    await expect(wait).rejects.toBe(reason)
  })
})

describe('nice-grpc', () => {
  it('accepts the same definitions', async () => {
    const server = await serve(
      implement(GeyserDefinition, {
        getSlot: () => ({ slot: 7n }),
        async *subscribe(arriving) {
          for await (const { ping } of arriving) {
            yield { updateOneof: { $case: 'pong', value: { id: ping?.id ?? 0 } } }
          }
        },
      }),
    )
    const channel = createChannel(server.url)
    closing.push(server.stop, () => channel.close())
    const client = createClient(GeyserDefinition, channel)
    expect(await client.getSlot({})).toEqual({ slot: 7n })
    async function* requests() {
      yield { ping: { id: 3 } }
    }
    const updates: unknown[] = []
    for await (const { updateOneof } of client.subscribe(requests())) updates.push(updateOneof)
    expect(updates).toEqual([{ $case: 'pong', value: { id: 3 } }])
  })
})
