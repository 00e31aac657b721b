import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { noteApiKeyUse } from '../records/api-keys.ts'
import type { Database } from '../store/database.ts'
import { loggableError } from './failure.ts'

const minuteMs = 60_000

/** Writes down when keys were last used, once a minute at most and never while a client waits. */
export interface KeyUseRecorder {
  note(keyId: string): void
  /** Resolves when everything noted is written. */
  settled(): Promise<void>
}

/** Makes a recorder over a database. */
export function recordKeyUse(
  db: Kysely<Database>,
  log: Logger,
  now: () => number = Date.now,
): KeyUseRecorder {
  const minutes = new Map<string, number>()
  const running = new Set<Promise<void>>()
  return {
    note(keyId) {
      const minute = Math.floor(now() / minuteMs)
      if (minutes.get(keyId) === minute) return
      minutes.set(keyId, minute)
      const writing = noteApiKeyUse(db, keyId)
        .catch((error: unknown) => {
          minutes.delete(keyId)
          log.warn({ error: loggableError(error) }, 'last use of an API key was not written')
        })
        .finally(() => running.delete(writing))
      running.add(writing)
    },
    async settled() {
      await Promise.all(running)
    },
  }
}
