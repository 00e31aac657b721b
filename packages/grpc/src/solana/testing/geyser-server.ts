import { createGrpcServer, GrpcError, implement, Status, type StatusCode } from '@fairlead/grpc-transport'
import { EventEmitter } from 'node:events'
import type { ServerHttp2Session } from 'node:http2'
import {
  GeyserDefinition,
  SubscribeRequest,
  type SubscribeUpdate,
  SubscribeUpdate as UpdateMessage,
} from '../../generated/geyser.ts'
import { slotOf } from '../subscription/update-key.ts'

/** A Geyser server whose chain the test controls. It stores slots and replays them. */
export interface GeyserServer {
  readonly url: string
  /** Every received request, by call. */
  readonly calls: SubscribeRequest[][]
  /** Emits `cancelled` when a client cancels a call. */
  readonly events: EventEmitter
  /** Number of times that filters have been applied. */
  readonly applied: number
  /** Number of updates that were sent. */
  readonly sent: number
  /** Adds an update to its slot and sends it to the matching subscribers. */
  push(...updates: SubscribeUpdate[]): void
  /** Replaces the stored updates of a slot; an empty list removes the slot. No update is sent. */
  replace(slot: bigint, updates: readonly SubscribeUpdate[]): void
  /** Sends without storing, for example a ping. */
  publish(update: SubscribeUpdate): void
  /** Closes all connections, and rejects calls from now on with a status; undefined accepts them again. */
  kill(refusal?: { readonly code: StatusCode; readonly detail: string }): void
  /** Rejects calls or accepts them again. */
  refuse(refusal: ((request: SubscribeRequest) => GrpcError | undefined) | undefined): void
  close(): Promise<void>
}

interface Subscriber {
  request: SubscribeRequest
  readonly waiting: SubscribeUpdate[]
  wake(): void
}

/** Starts the server on a loopback port; `keep` is the number of slots that can be replayed. */
export async function startGeyserServer({ retainedSlots = 150 } = {}): Promise<GeyserServer> {
  const ring = new Map<bigint, SubscribeUpdate[]>()
  const subscribers = new Set<Subscriber>()
  const sessions = new Set<ServerHttp2Session>()
  const calls: SubscribeRequest[][] = []
  let refusal: ((request: SubscribeRequest) => GrpcError | undefined) | undefined
  let sent = 0
  let applied = 0
  const events = new EventEmitter()

  const oldest = () => [...ring.keys()].reduce((a, b) => (a < b ? a : b))
  const replayTo = (subscriber: Subscriber, from: bigint) => {
    if (ring.size > 0 && from < oldest()) {
      const detail = `broadcast from ${from} is not available, last available: ${oldest()}`
      throw new GrpcError(Status.OUT_OF_RANGE, detail)
    }
    const slots = [...ring.keys()].filter((slot) => slot >= from).toSorted((a, b) => (a < b ? -1 : 1))
    for (const slot of slots) for (const update of ring.get(slot) ?? []) deliver(subscriber, update)
  }

  const server = createGrpcServer({
    implementations: [
      implement(GeyserDefinition, {
        async *subscribe(requests, call) {
          let wake = () => {}
          const subscriber: Subscriber = {
            request: SubscribeRequest.fromPartial({}),
            waiting: [],
            wake: () => wake(),
          }
          const received: SubscribeRequest[] = []
          calls.push(received)
          let fault: unknown
          let latest: SubscribeRequest | undefined
          const apply = () => {
            const request = latest ?? subscriber.request
            latest = undefined
            try {
              const refused = refusal?.(request)
              if (refused) throw refused
              subscriber.request = request
              if (request.fromSlot !== undefined) replayTo(subscriber, request.fromSlot)
              if (!call.signal.aborted) subscribers.add(subscriber)
              applied++
            } catch (error) {
              fault = error
              wake()
            }
          }
          const listen = async () => {
            for await (const request of requests) {
              received.push(request)
              if (request.ping) {
                subscriber.waiting.push(updateOf({ $case: 'pong', value: { id: request.ping.id } }))
              } else {
                // Of several waiting requests, only the latest applies.
                if (latest === undefined) setImmediate(apply)
                latest = request
              }
              wake()
            }
          }
          listen().catch((error: unknown) => {
            fault = error
            wake()
          })
          call.signal.addEventListener('abort', () => {
            events.emit('cancelled')
            wake()
          })
          try {
            while (!call.signal.aborted) {
              if (fault) throw fault
              const update = subscriber.waiting.shift()
              if (update) {
                sent++
                yield update
              } else {
                await new Promise<void>((resolve) => {
                  wake = resolve
                })
              }
            }
          } finally {
            subscribers.delete(subscriber)
          }
        },
        subscribeReplayInfo: () => ({ firstAvailable: ring.size > 0 ? oldest() : undefined }),
      }),
    ],
  })
  server.http2.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const breakAll = () => {
    for (const session of sessions) session.destroy()
    subscribers.clear()
  }

  return {
    url: server.url,
    calls,
    events,
    get applied() {
      return applied
    },
    get sent() {
      return sent
    },
    push(...updates) {
      for (const update of updates) {
        const slot = slotOf(update) ?? 0n
        const stored = ring.get(slot) ?? []
        ring.set(slot, [...stored, update])
        if (ring.size > retainedSlots) ring.delete(oldest())
        for (const subscriber of subscribers) deliver(subscriber, update)
      }
    },
    replace(slot, updates) {
      if (updates.length > 0) ring.set(slot, [...updates])
      else ring.delete(slot)
    },
    publish(update) {
      for (const subscriber of subscribers) {
        subscriber.waiting.push(update)
        subscriber.wake()
      }
    },
    kill(status) {
      refusal = status && (() => new GrpcError(status.code, status.detail))
      breakAll()
    },
    refuse(next) {
      refusal = next
    },
    async close() {
      breakAll()
      await server.stop(0)
    },
  }
}

function deliver(subscriber: Subscriber, update: SubscribeUpdate): void {
  const kind = update.updateOneof?.$case
  const { request } = subscriber
  const filters = {
    account: request.accounts,
    slot: request.slots,
    transaction: request.transactions,
    transactionStatus: request.transactionsStatus,
    block: request.blocks,
    blockMeta: request.blocksMeta,
    entry: request.entry,
    ping: {},
    pong: {},
  }[kind ?? 'ping']
  const names = Object.keys(filters)
  if (names.length === 0) return
  subscriber.waiting.push({ ...update, filters: names })
  subscriber.wake()
}

/** Creates an update that no filter has matched yet. */
export function updateOf(updateOneof: NonNullable<SubscribeUpdate['updateOneof']>): SubscribeUpdate {
  return UpdateMessage.fromPartial({ updateOneof })
}
