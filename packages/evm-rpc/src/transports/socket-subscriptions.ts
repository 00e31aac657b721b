import { FairleadError } from '@fairlead/core'
import { tell } from '../call-listener.ts'
import type { Subscription, SubscriptionListener } from '../transport.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import type { Outcome } from './outcomes.ts'
import { askedPauseMs, isRateRefusal } from './refusal.ts'
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

interface Running {
  readonly params: readonly unknown[]
  readonly listener: SubscriptionListener
  /** The subscription id of the node, while there is a connection. */
  id: unknown
  ending: Promise<void> | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

export function createSocketSubscriptions(calls: SocketCalls, backoff: Backoff): SocketSubscriptions {
  const running = new Set<Running>()
  const byId = new Map<unknown, Running>()
  // A node may push before it has returned the id; buffered only while a subscription waits for its id.
  const early = new Map<unknown, unknown[]>()
  let asking = 0

  function ask(one: Running, resend: boolean, settle: (outcome: Outcome | undefined) => void): void {
    asking++
    calls.exchange([{ method: 'eth_subscribe', params: one.params }], { resend }, ([outcome]) => {
      asking--
      if (outcome?.status === 'fulfilled') {
        one.id = outcome.value
        byId.set(one.id, one)
      }
      settle(outcome)
      for (const result of early.get(one.id) ?? []) deliver(one, result)
      early.delete(one.id)
      if (asking === 0) early.clear()
    })
  }

  function askAgain(one: Running, tries: number): void {
    ask(one, false, (outcome) => {
      if (outcome?.status === 'fulfilled') {
        if (one.ending) void release(one)
        else tell(() => one.listener.resumed?.())
        return
      }
      const error: unknown = outcome?.reason
      // When the connection breaks in the meantime, either another one follows, or the end of the transport.
      const isBroken =
        FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_CLOSED')
      if (isBroken || one.ending) return
      if (isRateRefusal(error, 'eth_subscribe')) {
        const pauseMs = Math.min(askedPauseMs(error) ?? 0, backoff.maxMs) + backoffMs(tries, backoff)
        one.timer = setTimeout(() => askAgain(one, tries + 1), pauseMs)
        return
      }
      running.delete(one)
      tell(() => one.listener.error?.(error))
    })
  }

  function release(one: Running): Promise<void> {
    const { id } = one
    forget(one)
    if (id === undefined) return Promise.resolve()
    // No notification is delivered from now on, whatever the node responds.
    return new Promise((resolve) => {
      calls.exchange([{ method: 'eth_unsubscribe', params: [id] }], { resend: false }, () => resolve())
    })
  }

  function forget(one: Running): void {
    clearTimeout(one.timer)
    byId.delete(one.id)
    one.id = undefined
  }

  function unsubscribe(one: Running): Promise<void> {
    running.delete(one)
    return (one.ending ??= release(one))
  }

  function deliver(one: Running, result: unknown): void {
    if (!one.ending) tell(() => one.listener.next(result))
  }

  return {
    subscribe(params, listener) {
      const one: Running = { params, listener, id: undefined, ending: undefined, timer: undefined }
      return new Promise((resolve, reject) => {
        ask(one, true, (outcome) => {
          if (outcome?.status !== 'fulfilled') return reject(outcome?.reason as Error)
          running.add(one)
          resolve({ unsubscribe: () => unsubscribe(one) })
        })
      })
    },
    notify({ subscription, result }) {
      const one = byId.get(subscription)
      if (one) deliver(one, result)
      else if (asking > 0) early.set(subscription, [...(early.get(subscription) ?? []), result])
    },
    resume() {
      for (const one of running) askAgain(one, 0)
    },
    lost() {
      early.clear()
      for (const one of running) forget(one)
    },
    end(error) {
      for (const one of running) {
        forget(one)
        tell(() => one.listener.error?.(error))
      }
      running.clear()
    },
  }
}
