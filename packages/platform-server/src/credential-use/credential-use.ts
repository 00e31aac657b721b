import type { Logger } from 'pino'
import type { CredentialUseRecorder } from '@fairlead/gateway-core/authentication/record-use'
import { guardedInterval } from '@fairlead/http1'

/** A use of a credential. */
export interface CredentialUse {
  readonly credentialId: string
  /** Time of the last use, in milliseconds since 1970. */
  readonly usedAt: number
  /** IP address of the client at the last use. */
  readonly address: string
  /** All IP addresses since the last report. */
  readonly addresses: readonly string[]
}

/** Records the use of credentials and reports it periodically, outside of requests. */
export interface CredentialUseSink extends CredentialUseRecorder {
  /** Reports the remaining uses and stops. */
  close(): Promise<void>
}

/** Options of {@link createCredentialUse}. */
export interface CredentialUseOptions {
  /** Receive each report one after the other. A report that a reporter fails to write is not repeated. */
  readonly reporters: readonly ((uses: readonly CredentialUse[]) => Promise<void>)[]
  readonly log: Logger
  /** Interval between checks for due reports, in milliseconds. */
  readonly lookMs?: number
  /** Minimum time between two reports of one credential, in milliseconds. */
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

// Bounds the memory per credential: more addresses than this within a minute add little information.
const mostAddresses = 64

/** Creates a sink with a timer that checks for due reports until `close`. */
export function createCredentialUse(options: CredentialUseOptions): CredentialUseSink {
  const { reporters, log, lookMs = 2_000, reportMs = 60_000, now = Date.now } = options
  const noted = new Map<string, Noted>()
  let reporting = Promise.resolve()

  const takeDue = (isDue: (entry: Noted) => boolean): readonly CredentialUse[] => {
    const uses: CredentialUse[] = []
    for (const [credentialId, entry] of noted) {
      if (!isDue(entry)) continue
      // A credential without uses since its last report is removed, so that the table holds only active ones.
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
