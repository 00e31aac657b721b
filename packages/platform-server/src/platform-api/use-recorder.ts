import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createLruCache } from '@fairlead/runtime'
import type { Identity } from '../identity/identity.ts'
import { recordApiKeyUse } from '../records/api-keys.ts'
import { recordSessionUse } from '../records/sessions.ts'
import type { Database } from '../store/database.ts'
import { loggableError } from '@fairlead/gateway-core/telemetry/loggable-error'

const minuteMs = 60_000
const maxCallers = 20_000

/** One request of an authenticated caller. */
export interface Use {
  readonly identity: Pick<Identity, 'kind' | 'id' | 'label'>
  /** IP address of the client. */
  readonly ip: string
}

/** Records the last use of keys and sessions, at most once per minute and outside of requests. */
export interface UseRecorder {
  record(use: Use): void
  /** Resolves when all recorded uses are written. */
  settled(): Promise<void>
}

/** Creates a recorder that writes to a database. */
export function createUseRecorder(
  db: Kysely<Database>,
  log: Logger,
  now: () => number = Date.now,
): UseRecorder {
  const minutes = createLruCache<number>({ maxEntries: maxCallers })
  const running = new Set<Promise<void>>()
  return {
    record(use) {
      const minute = Math.floor(now() / minuteMs)
      // Each secret of a key is recorded separately.
      const caller = `${use.identity.id} ${use.identity.label}`
      if (minutes.get(caller) === minute) return
      minutes.set(caller, minute)
      const writing = write(db, use)
        .catch((error: unknown) => {
          minutes.delete(caller)
          log.warn(
            { error: loggableError(error) },
            'the last use of an API key or a session could not be stored',
          )
        })
        .finally(() => running.delete(writing))
      running.add(writing)
    },
    async settled() {
      await Promise.all(running)
    },
  }
}

async function write(db: Kysely<Database>, { identity: { kind, id, label }, ip }: Use): Promise<void> {
  if (kind === 'session') await recordSessionUse(db, id)
  else await recordApiKeyUse(db, { id, prefix: label, ip })
}
