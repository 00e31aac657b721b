import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach } from 'vitest'
import type { GrpcClient } from '../../calls/types.ts'
import { createGrpcClient } from '../../client.ts'
import { GeyserDefinition, type SubscribeUpdate } from '../../generated/geyser.ts'
import type { GeyserFilters } from '../filters/geyser-filters.ts'
import type { GeyserNotice } from '../subscription/notice.ts'
import type { GeyserSubscriptionOptions } from '../subscription/options.ts'
import { subscribeGeyser } from '../subscription/subscribe-geyser.ts'
import { labelOf } from './chain.ts'
import { type GeyserServer, startGeyserServer } from './geyser-server.ts'

/** A server and a client that subscribes to it, new for each test. */
export function createSubscriptionBench() {
  let server: GeyserServer
  let client: GrpcClient<typeof GeyserDefinition>
  let notices: GeyserNotice[] = []
  let ended = new AbortController()

  beforeEach(async () => {
    server = await startGeyserServer()
    const auth = { kind: 'x-token', token: 't0k3n' } as const
    client = createGrpcClient(GeyserDefinition, { url: server.url, auth })
    notices = []
    ended = new AbortController()
    receivedLabels.clear()
  })

  afterEach(async () => {
    // A failed test has not ended its subscriptions, which would call the server of the next test forever.
    ended.abort()
    await client.close()
    await server.close()
  })

  return {
    get server() {
      return server
    },
    get notices() {
      return notices
    },
    /** The notices of one kind. */
    noticesOf: <kind extends GeyserNotice['kind']>(kind: kind) =>
      notices.filter((notice) => notice.kind === kind) as Extract<GeyserNotice, { kind: kind }>[],
    /** Subscribes, with short delays after faults. */
    subscribe: <const filters extends GeyserFilters>(
      filters: filters,
      options: GeyserSubscriptionOptions = {},
    ) =>
      subscribeGeyser(client, filters, {
        reconnect: { initialMs: 1, maxMs: 20 },
        onNotice: (notice) => notices.push(notice),
        signal: ended.signal,
        ...options,
      }),
    /** Waits until filters have been applied this number of times. */
    called: (times = 1) => waitUntil(() => server.applied >= times),
    /** A call whose response arrives after everything sent before on the connection. */
    roundTrip: () => client.subscribeReplayInfo({}),
    /** Waits until the reader has received an update with a label. */
    taken: (label: string) => waitUntil(() => receivedLabels.has(label)),
  }
}

const receivedLabels = new Set<string>()

/** Waits until a condition is true. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(1)
}

/** Reads this many updates, or fewer at the end, and returns their labels. */
export async function readUpdates(updates: AsyncIterator<SubscribeUpdate>, count: number): Promise<string[]> {
  const labels: string[] = []
  while (labels.length < count) {
    const { done, value } = await updates.next()
    if (done) return labels
    const label = labelOf(value)
    receivedLabels.add(label)
    labels.push(label)
  }
  return labels
}

/** Reads updates until one has a label, and returns the labels of all. */
export async function readUntil(updates: AsyncIterator<SubscribeUpdate>, label: string): Promise<string[]> {
  const labels: string[] = []
  for (;;) {
    const [next] = await readUpdates(updates, 1)
    if (next === undefined) return labels
    labels.push(next)
    if (next === label) return labels
  }
}
