import type { Logger } from 'pino'
import type { Directory } from './access/authenticate/directory.ts'
import { loadNodeCredentials } from './control/store/load-node-credentials.ts'
import type { Store } from './control/store/open-store.ts'

const fullReloadMs = 60_000
// A change that could not be read may be a credential that was revoked.
const retryMs = 1_000

/**
 * Fills the directory from the store and keeps it fresh: after every change, and every minute as a safety net.
 *
 * @param store - where the credentials are
 * @param directory - what the access plane asks
 * @param log - hears about a reload that failed; the snapshot before it stays in force until the next attempt
 * @returns a function that ends the feed, and resolves when it no longer uses the store
 * @throws when the first load fails
 */
export async function feedDirectory(
  store: Store,
  directory: Directory,
  log: Logger,
): Promise<() => Promise<void>> {
  let wanted = false
  let loading: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  const load = async () => directory.replace(await loadNodeCredentials(store.db))
  const reload = async () => {
    while (wanted) {
      wanted = false
      await load().catch((error: unknown) => {
        log.error({ err: error }, 'node credentials could not be reloaded')
        clearTimeout(retry)
        retry = setTimeout(request, retryMs).unref()
      })
    }
    loading = undefined
  }
  // A change during a load asks for one more; many changes do not ask for many. Loads never overlap, or an older
  // snapshot could come in last.
  const request = () => {
    wanted = true
    loading ??= reload()
  }
  const unsubscribe = store.onCredentialsChanged(request)
  loading = load()
  try {
    await loading
  } catch (error) {
    unsubscribe()
    throw error
  }
  loading = undefined
  if (wanted) request()
  const timer = setInterval(request, fullReloadMs)
  timer.unref()
  return async () => {
    unsubscribe()
    clearInterval(timer)
    wanted = false
    await loading
    clearTimeout(retry)
  }
}
