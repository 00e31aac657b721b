import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CredentialUse } from '../credential-use/credential-use.ts'
import type { Store } from '../store/open-store.ts'
import { createAddressWatch } from './sources/watch-addresses.ts'
import { createQuotaCheck } from './sources/check-quotas.ts'
import { createUpstreamWatch, type SeenUpstream } from './sources/watch-upstreams.ts'
import type { SendOptions } from './send-webhook.ts'
import { startDeliverer } from './start-deliverer.ts'

/** What webhooks work with. */
export interface WebhookParts {
  readonly store: Store
  readonly log: Logger
  readonly send: SendOptions
  /** How this process sees the upstreams of nodes. */
  readonly upstreams: () => readonly SeenUpstream[]
}

/** The webhooks of a service while they run. */
export interface Webhooks {
  /** Takes a report on the use of credentials. */
  reportUses(uses: readonly CredentialUse[]): Promise<void>
  /** Has what was just written down sent at once. */
  wake(): void
  /** Ends them; resolves when the store is no longer used. */
  stop(): Promise<void>
}

const quotaMs = 60_000
const upstreamMs = 5_000

/** Starts what looks for events, and what delivers them. */
export function startWebhooks({ store, log, send, upstreams }: WebhookParts): Webhooks {
  const ended = new AbortController()
  const deliverer = startDeliverer({ store, log, send })
  const lookAtAddresses = createAddressWatch(store)
  const checkQuotas = createQuotaCheck(store.db)
  const lookAtUpstreams = createUpstreamWatch(store)
  const sources = [
    { everyMs: quotaMs, look: () => checkQuotas(Date.now()) },
    { everyMs: upstreamMs, look: () => lookAtUpstreams(upstreams(), Date.now()) },
  ]
  const running = sources.map(async ({ everyMs, look }) => {
    while (!ended.signal.aborted) {
      await pause(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined)
      if (ended.signal.aborted) return
      try {
        if ((await look()) > 0) deliverer.wake()
      } catch (error) {
        log.warn({ err: error }, 'events could not be written down')
      }
    }
  })
  const stop = async () => {
    ended.abort()
    await Promise.all([...running, deliverer.stop()])
  }
  const reportUses = async (uses: readonly CredentialUse[]) => {
    if ((await lookAtAddresses(uses, Date.now())) > 0) deliverer.wake()
  }
  return { reportUses, wake: () => deliverer.wake(), stop }
}
