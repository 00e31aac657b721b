import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@fairlead/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { eventGateway } from '../testing/event-gateway.ts'
import { readEvents } from '../testing/event-reader.ts'

let url: string
let stop: () => Promise<void>

beforeAll(async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-events-'))
  const devnet = await startDevnet({ dataDirectory, chains: ['beacon'] })
  ;({ url } = devnet.chains[0])
  stop = async () => {
    await devnet.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}, 120_000)

afterAll(() => stop())

test('events of the embedded chain arrive unchanged', { timeout: 60_000 }, async () => {
  const gateway = await eventGateway([{ url }])
  const path = '/eth/v1/events?topics=block&topics=head'
  const direct = await readEvents(`${url}${path}`)
  const through = await readEvents(`${gateway.url}?topics=head&topics=block`)
  await waitFor(() =>
    expect(
      through
        .received()
        .toString()
        .match(/^event: head$/gm)?.length,
    ).toBeGreaterThan(2),
  )
  const events = through.received().toString()
  await waitFor(() => expect(direct.text()).toContain(events))
  expect(gateway.multiplexers.upstreamStreams()).toBe(1)
})

test('a stream of a rare topic opens immediately', { timeout: 60_000 }, async () => {
  const gateway = await eventGateway([{ url }])
  const client = await readEvents(`${gateway.url}?topics=voluntary_exit`)
  expect(client.response.statusCode).toBe(200)
  await waitFor(() => expect(client.text()).toMatch(/^retry: \d+\n:\n\n$/))
})

test('the chain rejects an unknown topic', { timeout: 60_000 }, async () => {
  const gateway = await eventGateway([{ url }])
  const client = await readEvents(`${gateway.url}?topics=weather`)
  expect(client.response.statusCode).toBe(400)
  await waitFor(() => expect(JSON.parse(client.text())).toMatchObject({ code: 400 }))
})
