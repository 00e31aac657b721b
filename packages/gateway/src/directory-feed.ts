import type { Logger } from 'pino'
import type { Directory } from './access/authenticate/directory.ts'
import { loadNodeCredentials } from './control/store/load-node-credentials.ts'
import type { Store } from './control/store/open-store.ts'

const fullReloadMs = 60_000

/**
 * Fills the directory from the store and keeps it fresh: after every change, and every minute as a safety net.
 *
 * @param store - where the credentials are
 * @param directory - what the access plane asks
 * @param log - hears about a reload that failed; the snapshot before it stays in force
 * @returns a function that ends the feed
 * @throws when the first load fails
 */
export async function feedDirectory(store: Store, directory: Directory, log: Logger): Promise<() => void> {
  let wanted = false
  let loading: Promise<void> | undefined
  const load = async () => directory.replace(await loadNodeCredentials(store.db))
  const reload = async () => {
    while (wanted) {
      wanted = false
      await load().catch((error: unknown) => log.error({ err: error }, 'node credentials could not be reloaded'))
    }
    loading = undefined
  }
  // A change during a load asks for one more; many changes do not ask for many.
  const request = () => {
    wanted = true
    loading ??= reload()
  }
  const unsubscribe = store.onCredentialsChanged(request)
  await load()
  const timer = setInterval(request, fullReloadMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}
