import type { Logger } from 'pino'
import type { CredentialUseRecorder } from '@fairlead/gateway-core/authentication/record-use'
import { guardedInterval } from '@fairlead/http1'

/** That a credential was used. */
export interface CredentialUse {
  readonly credentialId: string
  /** The last time, in milliseconds since 1970. */
  readonly usedAt: number
  /** Address of the client, the last time. */
  readonly address: string
  /** All addresses since the last report. */
  readonly addresses: readonly string[]
}

/** Notes who uses which credential, and reports it now and then, never while a client waits. */
export interface CredentialUseSink extends CredentialUseRecorder {
  /** Reports what was noted, and ends. */
  close(): Promise<void>
}

/** What a sink is made with. */
export interface CredentialUseOptions {
  /** Hear of what was noted, one after the other. What one of them could not write is not told again. */
  readonly reporters: readonly ((uses: readonly CredentialUse[]) => Promise<void>)[]
  readonly log: Logger
  /** How often there is a look at what is due, in milliseconds. */
  readonly lookMs?: number
  /** Shortest time between two reports of one credential, in milliseconds. */
  readonly reportMs?: number
  readonly now?: () => number
}

interface Noted {
  usedAt: number
  address: string
  /** Since the last report. */
  readonly addresses: Set<string>
  reportedAt: number
}

// Who uses one credential from more places than this in a minute is known well enough by these.
const mostAddresses = 64

/** Makes a sink, which looks at what is due as long as the process lives. */
export function createCredentialUse(options: CredentialUseOptions): CredentialUseSink {
  const { reporters, log, lookMs = 2_000, reportMs = 60_000, now = Date.now } = options
  const noted = new Map<string, Noted>()
  let reporting = Promise.resolve()

  const takeDue = (isDue: (entry: Noted) => boolean): readonly CredentialUse[] => {
    const uses: CredentialUse[] = []
    for (const [credentialId, entry] of noted) {
      if (!isDue(entry)) continue
      // Whoever was not seen since is forgotten, so that the table holds those in use alone.
      if (entry.addresses.size === 0) noted.delete(credentialId)
      else {
        const { usedAt, address, addresses } = entry
        uses.push({ credentialId, usedAt, address, addresses: [...addresses] })
        addresses.clear()
        entry.reportedAt = now()
      }
    }
    return uses
  }
  const report = (uses: readonly CredentialUse[]) => {
    if (uses.length === 0) return
    const tell = async () => {
      for (const reporter of reporters) {
        await reporter(uses).catch((error: unknown) => {
          const { name } = error instanceof Error ? error : { name: typeof error }
          log.warn({ error: name }, 'use of credentials was not written')
        })
      }
    }
    reporting = reporting.then(tell)
  }
  const timer = guardedInterval(() => {
    const time = now()
    report(takeDue(({ reportedAt }) => time - reportedAt >= reportMs))
  }, lookMs).unref()

  return {
    note(credentialId, address) {
      const entry = noted.get(credentialId)
      if (entry === undefined) {
        noted.set(credentialId, {
          usedAt: now(),
          address,
          addresses: new Set([address]),
          reportedAt: -Infinity,
        })
        return
      }
      entry.usedAt = now()
      if (entry.address === address && entry.addresses.size > 0) return
      entry.address = address
      if (entry.addresses.size < mostAddresses) entry.addresses.add(address)
    },
    async close() {
      clearInterval(timer)
      report(takeDue(() => true))
      await reporting
    },
  }
}
