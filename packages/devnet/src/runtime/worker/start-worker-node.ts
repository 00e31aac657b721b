import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { reportTo, type DevnetEvent } from '../devnet-event.ts'
import { lockDirectory } from '../directory-lock.ts'
import { choosePort } from '../chain-port.ts'
import { defaultTimings, type SupervisorTimings } from '../supervisor-timings.ts'
import type { WorkerKind } from './worker-kind.ts'
import { superviseWorker } from './worker-supervisor.ts'

/** Options of a chain that runs in a worker. */
export interface WorkerNodeOptions {
  /** Directory that only this chain uses. */
  directory: string
  onEvent?: ((event: DevnetEvent) => void) | undefined
  signal?: AbortSignal | undefined
  /** Intervals and timeouts of the supervisor. */
  timings?: Partial<SupervisorTimings> | undefined
  /** Milliseconds to wait for another process that uses the directory. */
  lockWaitMs?: number | undefined
}

/** A chain that runs in a worker. */
export interface WorkerNode<data> {
  readonly url: string
  /** The data that the worker reported when it was ready for the first time. */
  readonly data: data
  stop(): Promise<void>
}

/**
 * Starts a chain in a worker and resolves when the chain accepts calls; afterwards the worker is restarted whenever it
 * ends unexpectedly, always at the same URL.
 *
 * @param chain Name of the chain in its events.
 * @param kind The worker.
 * @param options Directory and timings; the directory is created if it does not exist.
 * @param taskFor Returns the task for a port.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED`, `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_STATE_UNREADABLE` or
 * `DEVNET_LOCKED`; the abort reason when the signal is aborted.
 */
export async function startWorkerNode<data>(
  chain: string,
  kind: WorkerKind,
  options: WorkerNodeOptions,
  taskFor: (port: number) => { readonly port: number },
): Promise<WorkerNode<data>> {
  const { directory } = options
  const report = reportTo(chain, options.onEvent)
  const signal = options.signal ?? new AbortController().signal

  signal.throwIfAborted()
  mkdirSync(directory, { recursive: true })
  const unlock = await lockDirectory({
    file: join(directory, 'lock'),
    waitMs: options.lockWaitMs ?? 10_000,
    onWait: (pid) =>
      report({ kind: 'waiting', pid, message: `Waiting for process ${pid}, which still uses ${directory}.` }),
    signal,
  })

  let port = 0
  let published = false
  async function nextTask() {
    // Until the URL is published, any port is suitable; afterwards only the same one.
    if (!published) port = await choosePort(join(directory, 'port'))
    return taskFor(port)
  }

  const supervisor = superviseWorker<data>(kind, nextTask, { ...defaultTimings, ...options.timings }, report)
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= supervisor.stop().finally(unlock))
  const onAbort = () => void stop()
  signal.addEventListener('abort', onAbort, { once: true })
  // An event listener may have aborted the start already.
  if (signal.aborted) onAbort()
  const data = await supervisor.started.catch(async (error: unknown) => {
    await stop()
    signal.throwIfAborted()
    throw error
  })
  published = true
  return {
    url: `http://127.0.0.1:${port}`,
    data,
    stop() {
      signal.removeEventListener('abort', onAbort)
      return stop()
    },
  }
}
