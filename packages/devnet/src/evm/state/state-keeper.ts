import { setTimeout as sleep } from 'node:timers/promises'
import { readHead, saveFinalState, saveState } from './state-file.ts'

// Writing a large state takes long. The engine must spend at most a fifth of its time on it.
const restPerWork = 4

/** Options for saving the state of an engine to disk. */
export interface StateKeeperOptions {
  url: string
  /** Path of the state file. */
  file: string
  /** Milliseconds between two checks of the chain head. */
  intervalMs: number
  /** Called when the state could not be written twice in a row; the exit of the engine may cause a single failure. */
  onError: (error: unknown) => void
}

/** Saves the state of an engine to disk periodically. */
export interface StateKeeper {
  /** Settles after the first attempt to write the state. */
  firstSave: Promise<void>
  /**
   * Stops the periodic saves and writes the state for the last time; rejects when that fails or the signal is aborted.
   */
  finish(signal: AbortSignal): Promise<void>
}

/**
 * Writes the state immediately, and again whenever the chain has a new head.
 *
 * @param options See {@link StateKeeperOptions}.
 * @returns The running state keeper.
 */
export function keepState(options: StateKeeperOptions): StateKeeper {
  const ending = new AbortController()
  const { url, file, intervalMs } = options
  let savedHead: string | undefined
  let resolveFirst!: () => void
  const firstSave = new Promise<void>((resolve) => {
    resolveFirst = resolve
  })

  async function saveWhenChanged(): Promise<number> {
    const beganAt = Date.now()
    const head = await readHead(url, ending.signal)
    if (head === savedHead) return 0
    await saveState(url, file, ending.signal)
    savedHead = head
    return Date.now() - beganAt
  }

  async function run(): Promise<void> {
    for (let failures = 0; ;) {
      let workMs = 0
      try {
        workMs = await saveWhenChanged()
        failures = 0
      } catch (error) {
        if (ending.signal.aborted) return
        if (++failures > 1) options.onError(error)
      } finally {
        resolveFirst()
      }
      try {
        await sleep(Math.max(intervalMs, restPerWork * workMs), undefined, { signal: ending.signal })
      } catch {
        return
      }
    }
  }

  const running = run()
  return {
    firstSave,
    async finish(signal) {
      ending.abort()
      await running
      signal.throwIfAborted()
      await saveFinalState(url, file, signal)
    },
  }
}
