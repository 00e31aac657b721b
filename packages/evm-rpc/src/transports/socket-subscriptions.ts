import { FairleadError } from '@fairlead/core'
import { callListener } from '../call-listener.ts'
import type { Subscription, SubscriptionListener } from '../transport.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import type { Outcome } from './outcomes.ts'
import { retryAfterMsOf, isRateRefusal } from './refusal.ts'
import type { SocketCalls } from './socket-calls.ts'

/** A notification of a node: the params of `eth_subscription`. */
export interface Notification {
  readonly subscription?: unknown
  readonly result?: unknown
}

/** The subscriptions of one transport, over all of its connections. */
export interface SocketSubscriptions {
  subscribe(params: readonly unknown[], listener: SubscriptionListener): Promise<Subscription>
  notify(notification: Notification): void
  /** A connection is open: renews all subscriptions. */
  resume(): void
  /** The connection broke, which invalidates the subscription ids of the node. */
  lost(): void
  /** There will be no further connection. */
  end(error: Error): void
}

interface ActiveSubscription {
  readonly params: readonly unknown[]
  readonly listener: SubscriptionListener
  /** The subscription id of the node, while there is a connection. */
  id: unknown
  ending: Promise<void> | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

export function createSocketSubscriptions(calls: SocketCalls, backoff: Backoff): SocketSubscriptions {
  const running = new Set<ActiveSubscription>()
  const byId = new Map<unknown, ActiveSubscription>()
  // A node may push before it has returned the id; buffered only while a subscription waits for its id.
  const buffered = new Map<unknown, unknown[]>()
  let pendingRequests = 0

  function request(
    active: ActiveSubscription,
    resend: boolean,
    settle: (outcome: Outcome | undefined) => void,
  ): void {
    pendingRequests++
    calls.exchange([{ method: 'eth_subscribe', params: active.params }], { resend }, ([outcome]) => {
      pendingRequests--
      if (outcome?.status === 'fulfilled') {
        active.id = outcome.value
        byId.set(active.id, active)
      }
      settle(outcome)
      for (const result of buffered.get(active.id) ?? []) deliver(active, result)
      buffered.delete(active.id)
      if (pendingRequests === 0) buffered.clear()
    })
  }

  function renew(active: ActiveSubscription, tries: number): void {
    request(active, false, (outcome) => {
      if (outcome?.status === 'fulfilled') {
        if (active.ending) void release(active)
        else callListener(() => active.listener.resumed?.())
        return
      }
      const error: unknown = outcome?.reason
      // When the connection breaks in the meantime, either another one follows, or the end of the transport.
      const isBroken =
        FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_CLOSED')
      if (isBroken || active.ending) return
      if (isRateRefusal(error, 'eth_subscribe')) {
        const pauseMs = Math.min(retryAfterMsOf(error) ?? 0, backoff.maxMs) + backoffMs(tries, backoff)
        active.timer = setTimeout(() => renew(active, tries + 1), pauseMs)
        return
      }
      running.delete(active)
      callListener(() => active.listener.error?.(error))
    })
  }

  function release(active: ActiveSubscription): Promise<void> {
    const { id } = active
    clearId(active)
    if (id === undefined) return Promise.resolve()
    // No notification is delivered from now on, whatever the node responds.
    return new Promise((resolve) => {
      calls.exchange([{ method: 'eth_unsubscribe', params: [id] }], { resend: false }, () => resolve())
    })
  }

  function clearId(active: ActiveSubscription): void {
    clearTimeout(active.timer)
    byId.delete(active.id)
    active.id = undefined
  }

  function unsubscribe(active: ActiveSubscription): Promise<void> {
    running.delete(active)
    return (active.ending ??= release(active))
  }

  function deliver(active: ActiveSubscription, result: unknown): void {
    if (!active.ending) callListener(() => active.listener.next(result))
  }

  return {
    subscribe(params, listener) {
      const active: ActiveSubscription = {
        params,
        listener,
        id: undefined,
        ending: undefined,
        timer: undefined,
      }
      return new Promise((resolve, reject) => {
        request(active, true, (outcome) => {
          if (outcome?.status !== 'fulfilled') return reject(outcome?.reason as Error)
          running.add(active)
          resolve({ unsubscribe: () => unsubscribe(active) })
        })
      })
    },
    notify({ subscription, result }) {
      const active = byId.get(subscription)
      if (active) deliver(active, result)
      else if (pendingRequests > 0)
        buffered.set(subscription, [...(buffered.get(subscription) ?? []), result])
    },
    resume() {
      for (const active of running) renew(active, 0)
    },
    lost() {
      buffered.clear()
      for (const active of running) clearId(active)
    },
    end(error) {
      for (const active of running) {
        clearId(active)
        callListener(() => active.listener.error?.(error))
      }
      running.clear()
    },
  }
}
