import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ChangedRecords, Directory, FeedStates } from '@fairlead/gateway-core/authentication/directory'
import { loadNodeCredentials, pagesOfNodeCredentials } from './load-node-credentials.ts'
import type { Store } from './open-store.ts'

const fullReloadMs = 60_000
// A million credentials take seconds to read: no more than this part of the time goes into reading them all again.
const reloadShare = 0.05
// A change that could not be read may be a credential that was revoked.
const retryMs = 1_000

/** The feed while it runs. */
export interface RunningFeed {
  states(): FeedStates
  /** Ends the feed; resolves when it no longer uses the store. */
  end(): Promise<void>
}

/**
 * Fills the directory from the store and keeps it fresh: what has changed after every change, and everything at least
 * every minute as a safety net, page by page. Between two pages the changes come first, so that nobody waits for the
 * rest of a million credentials to see one revoked, and no page brings back what a change has taken away.
 *
 * @param store - where the credentials are
 * @param directory - asked by each request
 * @param log - hears about what could not be read; what was known stays in force until the next attempt
 * @throws when the first load fails
 */
export async function feedDirectory(store: Store, directory: Directory, log: Logger): Promise<RunningFeed> {
  const feed = new DirectoryFeed(store, directory, log)
  const unsubscribe = store.onCredentialsChanged((change) => feed.note(change))
  try {
    await feed.readAll()
  } catch (error) {
    unsubscribe()
    throw error
  }
  const running = feed.run()
  const end = async () => {
    unsubscribe()
    feed.end()
    await running
  }
  return { states: () => feed.states(), end }
}

class DirectoryFeed {
  readonly #store: Store
  readonly #directory: Directory
  readonly #log: Logger
  readonly #ended = new AbortController()
  readonly #nodeIds = new Set<string>()
  readonly #credentialIds = new Set<string>()
  /** Nodes that have changed since everything was last begun to be read: what a page says of them may be older. */
  readonly #newer = new Set<string>()
  #isAllWanted = false
  #wake = (): void => undefined
  /** By a clock that nobody sets. */
  #nextReload = 0
  #loadedAt = 0
  #loadMs = 0
  #failures = 0

  constructor(store: Store, directory: Directory, log: Logger) {
    this.#store = store
    this.#directory = directory
    this.#log = log
  }

  /** Notes what is to be read anew; many notes of one record ask for it once. */
  note(change: ChangedRecords | 'everything'): void {
    if (change === 'everything') this.#isAllWanted = true
    else {
      for (const id of change.nodeIds) this.#nodeIds.add(id)
      for (const id of change.credentialIds) this.#credentialIds.add(id)
    }
    this.#wake()
  }

  states(): FeedStates {
    return { loadedAt: this.#loadedAt, loadMs: this.#loadMs, failures: this.#failures }
  }

  end(): void {
    this.#ended.abort()
    this.#wake()
  }

  /** Reads what was noted, whenever there is something, until the end. It never rejects. */
  async run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        if (this.#isAllWanted || performance.now() >= this.#nextReload) await this.readAll()
        else await this.#readChanges()
        await this.#untilWanted()
      } catch (error) {
        if (this.#ended.signal.aborted) return
        this.#failures += 1
        this.#log.error({ err: error }, 'node credentials could not be reloaded')
        await pause(retryMs, undefined, { signal: this.#ended.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  async readAll(): Promise<void> {
    this.#isAllWanted = false
    this.#newer.clear()
    const started = performance.now()
    const reload = this.#directory.reload()
    try {
      for await (const page of pagesOfNodeCredentials(this.#store.db, this.#store.encryptor)) {
        reload.add(page.filter(({ grant }) => !this.#newer.has(grant.nodeId)))
        if (this.#ended.signal.aborted) return
        await this.#readChanges()
      }
      await reload.end()
    } catch (error) {
      this.#isAllWanted = true
      throw error
    }
    this.#loadedAt = Date.now()
    this.#loadMs = performance.now() - started
    this.#nextReload = performance.now() + Math.max(fullReloadMs, this.#loadMs / reloadShare)
  }

  async #readChanges(): Promise<void> {
    const changed = { nodeIds: [...this.#nodeIds], credentialIds: [...this.#credentialIds] }
    if (changed.nodeIds.length + changed.credentialIds.length === 0) return
    this.#nodeIds.clear()
    this.#credentialIds.clear()
    for (const id of changed.nodeIds) this.#newer.add(id)
    try {
      this.#directory.change(
        changed,
        await loadNodeCredentials(this.#store.db, this.#store.encryptor, changed),
      )
    } catch (error) {
      this.note(changed)
      throw error
    }
  }

  async #untilWanted(): Promise<void> {
    if (this.#isAllWanted || this.#nodeIds.size + this.#credentialIds.size > 0) return
    if (this.#ended.signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, this.#nextReload - performance.now())).unref()
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = () => undefined
        resolve()
      }
    })
  }
}
