import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CredentialUse } from '../credential-use/credential-use.ts'
import type { Store } from '../store/open-store.ts'
import { createAddressWatch } from './sources/watch-addresses.ts'
import { createQuotaCheck } from './sources/check-quotas.ts'
import { createUpstreamWatch, type ObservedUpstream } from './sources/watch-upstreams.ts'
import type { SendOptions } from './send-webhook.ts'
import { startDeliverer } from './start-deliverer.ts'

/** Dependencies of {@link startWebhooks}. */
export interface WebhookParts {
  readonly store: Store
  readonly log: Logger
  readonly send: SendOptions
  /** Returns the state of the nodes' upstreams as seen by this process. */
  readonly upstreams: () => readonly ObservedUpstream[]
}

/** The running webhooks. */
export interface Webhooks {
  /** Handles a report on the use of credentials. */
  reportUses(uses: readonly CredentialUse[]): Promise<void>
  /** Sends newly stored deliveries immediately. */
  wake(): void
  /** Stops the webhooks; resolves when the store is no longer used. */
  stop(): Promise<void>
}

const quotaMs = 60_000
const upstreamMs = 5_000

/** Starts the event sources and the deliverer. */
export function startWebhooks({ store, log, send, upstreams }: WebhookParts): Webhooks {
  const ended = new AbortController()
  const deliverer = startDeliverer({ store, log, send })
  const checkAddresses = createAddressWatch(store)
  const checkQuotas = createQuotaCheck(store.db)
  const checkUpstreams = createUpstreamWatch(store)
  const sources = [
    { everyMs: quotaMs, check: () => checkQuotas(Date.now()) },
    { everyMs: upstreamMs, check: () => checkUpstreams(upstreams(), Date.now()) },
  ]
  const running = sources.map(async ({ everyMs, check }) => {
    while (!ended.signal.aborted) {
      await pause(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined)
      if (ended.signal.aborted) return
      try {
        if ((await check()) > 0) deliverer.wake()
      } catch (error) {
        log.warn({ err: error }, 'events could not be stored')
      }
    }
  })
  const stop = async () => {
    ended.abort()
    await Promise.all([...running, deliverer.stop()])
  }
  const reportUses = async (uses: readonly CredentialUse[]) => {
    if ((await checkAddresses(uses, Date.now())) > 0) deliverer.wake()
  }
  return { reportUses, wake: () => deliverer.wake(), stop }
}
