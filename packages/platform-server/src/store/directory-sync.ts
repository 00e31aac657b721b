import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type {
  ChangedRecords,
  Directory,
  DirectoryStates,
} from '@fairlead/gateway-core/authentication/directory'
import { loadNodeCredentials, pagesOfNodeCredentials } from './load-node-credentials.ts'
import type { Store } from './open-store.ts'

const fullReloadMs = 60_000
// Reading a million credentials takes seconds; full reloads use at most this fraction of the time.
const reloadShare = 0.05
// Short, because a change that could not be read may be the revocation of a credential.
const retryMs = 1_000

/** The running synchronization of the directory. */
export interface DirectorySync {
  states(): DirectoryStates
  /** Stops the synchronization; resolves when it no longer uses the store. */
  end(): Promise<void>
}

/**
 * Fills the directory from the store and keeps it up to date. After every change, it reads the changed records. As a
 * safety net, it reads all records page by page every minute, or less often when a full read takes more than 3 s.
 * Changes are applied between two pages, so that a revocation does not wait for the rest of a million credentials, and
 * no page restores what a change has removed.
 *
 * @param store - source of the credentials
 * @param directory - looked up by each request
 * @param log - logs failed reads; the directory keeps its previous state until the next attempt
 * @throws when the first load fails
 */
export async function syncDirectory(store: Store, directory: Directory, log: Logger): Promise<DirectorySync> {
  const synchronizer = new DirectorySynchronizer(store, directory, log)
  const unsubscribe = store.onCredentialsChanged((change) => synchronizer.mark(change))
  try {
    await synchronizer.readAll()
  } catch (error) {
    unsubscribe()
    throw error
  }
  const running = synchronizer.run()
  const end = async () => {
    unsubscribe()
    synchronizer.end()
    await running
  }
  return { states: () => synchronizer.states(), end }
}

class DirectorySynchronizer {
  readonly #store: Store
  readonly #directory: Directory
  readonly #log: Logger
  readonly #ended = new AbortController()
  readonly #nodeIds = new Set<string>()
  readonly #credentialIds = new Set<string>()
  /** Nodes that changed since the current full reload started: the pages of the reload may hold older data of them. */
  readonly #newer = new Set<string>()
  #isReloadRequested = false
  #wake = (): void => undefined
  /** On the monotonic clock. */
  #nextReload = 0
  #loadedAt = 0
  #loadMs = 0
  #failures = 0

  constructor(store: Store, directory: Directory, log: Logger) {
    this.#store = store
    this.#directory = directory
    this.#log = log
  }

  /** Marks records to be read again; several marks of one record cause one read. */
  mark(change: ChangedRecords | 'everything'): void {
    if (change === 'everything') this.#isReloadRequested = true
    else {
      for (const id of change.nodeIds) this.#nodeIds.add(id)
      for (const id of change.credentialIds) this.#credentialIds.add(id)
    }
    this.#wake()
  }

  states(): DirectoryStates {
    return { loadedAt: this.#loadedAt, loadMs: this.#loadMs, failures: this.#failures }
  }

  end(): void {
    this.#ended.abort()
    this.#wake()
  }

  /** Reads marked records until the synchronization ends. Never rejects. */
  async run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        if (this.#isReloadRequested || performance.now() >= this.#nextReload) await this.readAll()
        else await this.#readChanges()
        await this.#untilRequested()
      } catch (error) {
        if (this.#ended.signal.aborted) return
        this.#failures += 1
        this.#log.error({ err: error }, 'node credentials could not be reloaded')
        await pause(retryMs, undefined, { signal: this.#ended.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  async readAll(): Promise<void> {
    this.#isReloadRequested = false
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
      this.#isReloadRequested = true
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
      this.mark(changed)
      throw error
    }
  }

  async #untilRequested(): Promise<void> {
    if (this.#isReloadRequested || this.#nodeIds.size + this.#credentialIds.size > 0) return
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
