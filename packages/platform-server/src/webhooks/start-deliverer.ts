import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { claimDeliveries, settleDelivery, type ClaimedDelivery } from '../records/webhook-deliveries.ts'
import { deleteEventsBefore } from '../records/webhook-events.ts'
import { decryptTarget } from '../records/webhooks.ts'
import type { Store } from '../store/open-store.ts'
import { leaseMs, nextAttemptAt } from './retry-schedule.ts'
import { type SendOptions, sendWebhook } from './send-webhook.ts'

/** Dependencies and options of {@link startDeliverer}. */
export interface DelivererParts {
  readonly store: Pick<Store, 'db' | 'encryptor'>
  readonly log: Logger
  readonly send: SendOptions
  /** Time in milliseconds since 1970. */
  readonly now?: (() => number) | undefined
  /** Interval between polls for due deliveries, in milliseconds. */
  readonly pollMs?: number | undefined
}

/** The running deliverer. */
export interface Deliverer {
  /** Polls immediately. */
  wake(): void
  /** Stops the deliverer; resolves when no request is in progress and the store is no longer used. */
  stop(): Promise<void>
}

const defaultPollMs = 2_000
const maxConcurrent = 64
// Receivers that hang can use no more than this many slots per organization.
const maxPerOrganization = 8
const cleanupIntervalMs = 3_600_000
const retentionMs = 30 * 24 * 3_600_000

/**
 * Sends the due deliveries of the store. Any number of deliverers can share one database: each delivery is claimed by
 * one of them. Each webhook receives one request at a time.
 */
export function startDeliverer(parts: DelivererParts): Deliverer {
  const deliverer = new RunningDeliverer(parts)
  const running = deliverer.run()
  const stop = async () => {
    deliverer.end()
    await running
  }
  return { wake: () => deliverer.wake(), stop }
}

class RunningDeliverer {
  readonly #parts: DelivererParts
  readonly #now: () => number
  readonly #ended = new AbortController()
  readonly #inFlight = new Map<string, { readonly organizationId: string; readonly attempt: Promise<void> }>()
  #sleep = new AbortController()
  #isWoken = false
  #nextCleanupAt = 0
  #isFailing = false

  constructor(parts: DelivererParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  wake(): void {
    this.#isWoken = true
    this.#sleep.abort()
  }

  end(): void {
    this.#ended.abort()
    this.#sleep.abort()
  }

  async run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        await this.#claim()
        await this.#deleteExpired()
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing)
          this.#parts.log.warn({ err: error }, 'webhooks cannot be read from the database')
        this.#isFailing = true
      }
      if (!this.#isWoken) await this.#waitForPoll()
      this.#isWoken = false
    }
    await Promise.all(Array.from(this.#inFlight.values(), ({ attempt }) => attempt))
  }

  async #waitForPoll(): Promise<void> {
    const { pollMs = defaultPollMs } = this.#parts
    this.#sleep = new AbortController()
    if (this.#ended.signal.aborted) return
    await pause(pollMs, undefined, { signal: this.#sleep.signal, ref: false }).catch(() => undefined)
  }

  async #claim(): Promise<void> {
    const limit = maxConcurrent - this.#inFlight.size
    if (limit <= 0) return
    const now = this.#now()
    const busy = Array.from(this.#inFlight, ([webhookId, { organizationId }]) => ({
      webhookId,
      organizationId,
    }))
    const rules = { limit, maxPerOrganization, busy }
    const times = { now, leaseEnd: now + leaseMs }
    for (const delivery of await claimDeliveries(this.#parts.store.db, times, rules)) {
      const { webhookId, organizationId } = delivery
      const attempt = this.#attempt(delivery).finally(() => {
        this.#inFlight.delete(webhookId)
        // The next delivery to the same receiver may be due.
        this.wake()
      })
      this.#inFlight.set(webhookId, { organizationId, attempt })
    }
  }

  /** Never rejects: an attempt whose result cannot be stored is repeated after its lease expires. */
  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { store, send, log } = this.#parts
    const { id, webhookId, eventId, body, attempts } = delivery
    try {
      const { url, secret } = decryptTarget(store.encryptor, { ...delivery, id: webhookId })
      const request = { url, secret, eventId, deliveryId: id, body, at: this.#now() }
      const outcome = await sendWebhook(request, send)
      const nextAt = nextAttemptAt(attempts, this.#now())
      await settleDelivery(store.db, delivery, outcome, nextAt)
      if (outcome.delivered) return
      const { status, error } = outcome
      log.info(
        { webhook_id: webhookId, delivery_id: id, attempts, status, error },
        'a webhook was not delivered',
      )
    } catch (error) {
      log.warn({ err: error, webhook_id: webhookId, delivery_id: id }, 'a webhook delivery failed')
    }
  }

  async #deleteExpired(): Promise<void> {
    const now = this.#now()
    if (now < this.#nextCleanupAt) return
    this.#nextCleanupAt = now + cleanupIntervalMs
    await deleteEventsBefore(this.#parts.store.db, now - retentionMs)
  }
}
