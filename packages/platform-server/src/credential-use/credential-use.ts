import type { Logger } from 'pino'
import type { CredentialUseRecorder } from '@fairlead/gateway-core/authentication/record-use'
import { guardedInterval } from '@fairlead/runtime'

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
  readonly checkMs?: number
  /** Minimum time between two reports of one credential, in milliseconds. */
  readonly reportMs?: number
  readonly now?: () => number
}

interface PendingUse {
  usedAt: number
  address: string
  /** Since the last report. */
  readonly addresses: Set<string>
  reportedAt: number
}

// Bounds the memory per credential: more addresses than this within a minute add little information.
const maxAddresses = 64

/** Creates a sink with a timer that checks for due reports until `close`. */
export function createCredentialUse(options: CredentialUseOptions): CredentialUseSink {
  const { reporters, log, checkMs = 2_000, reportMs = 60_000, now = Date.now } = options
  const pending = new Map<string, PendingUse>()
  let reporting = Promise.resolve()

  const collectDue = (isDue: (entry: PendingUse) => boolean): readonly CredentialUse[] => {
    const uses: CredentialUse[] = []
    for (const [credentialId, entry] of pending) {
      if (!isDue(entry)) continue
      // A credential without uses since its last report is removed, so that the table holds only active ones.
      if (entry.addresses.size === 0) pending.delete(credentialId)
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
    const notifyReporters = async () => {
      for (const reporter of reporters) {
        await reporter(uses).catch((error: unknown) => {
          const { name } = error instanceof Error ? error : { name: typeof error }
          log.warn({ error: name }, 'the use of credentials could not be stored')
        })
      }
    }
    reporting = reporting.then(notifyReporters)
  }
  const timer = guardedInterval(() => {
    const time = now()
    report(collectDue(({ reportedAt }) => time - reportedAt >= reportMs))
  }, checkMs).unref()

  return {
    record(credentialId, address) {
      const entry = pending.get(credentialId)
      if (entry === undefined) {
        pending.set(credentialId, {
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
      if (entry.addresses.size < maxAddresses) entry.addresses.add(address)
    },
    async close() {
      clearInterval(timer)
      report(collectDue(() => true))
      await reporting
    },
  }
}
