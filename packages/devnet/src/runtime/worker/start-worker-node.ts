import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { reportTo, type DevnetEvent } from '../devnet-event.ts'
import { lockDirectory } from '../directory-lock.ts'
import { takeRememberedPort } from '../remembered-port.ts'
import { defaultTimings, type SupervisorTimings } from '../supervisor-timings.ts'
import type { WorkerKind } from './worker-kind.ts'
import { superviseWorker } from './worker-supervisor.ts'

/** Where and how long to run a chain that lives in a worker. */
export interface WorkerNodeOptions {
  /** Directory of this chain alone. */
  directory: string
  onEvent?: ((event: DevnetEvent) => void) | undefined
  signal?: AbortSignal | undefined
  /** When to wait and to give up. */
  timings?: Partial<SupervisorTimings> | undefined
  /** Milliseconds to wait for another process that uses the directory. */
  lockWaitMs?: number | undefined
}

/** A chain that runs in a worker. */
export interface WorkerNode<facts> {
  readonly url: string
  /** What the worker told when it was ready for the first time. */
  readonly facts: facts
  stop(): Promise<void>
}

/**
 * Starts a chain in a worker and returns when it answers calls; from then on it is started anew whenever it ends unasked,
 * always at the same address.
 *
 * @param chain Name of the chain in its events.
 * @param kind The worker.
 * @param options Where and how long; its directory is created when it is missing.
 * @param taskFor What to run on a port.
 * @returns The running chain.
 * @throws {@link DevnetError} `DEVNET_ENGINE_FAILED`, `DEVNET_ENGINE_UNAVAILABLE`, `DEVNET_STATE_UNREADABLE` or
 * `DEVNET_LOCKED`; the reason of the signal when that was aborted.
 */
export async function startWorkerNode<facts>(
  chain: string,
  kind: WorkerKind,
  options: WorkerNodeOptions,
  taskFor: (port: number) => { readonly port: number },
): Promise<WorkerNode<facts>> {
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
    // Until somebody knows the address another port does as well; afterwards only the same one does.
    if (!published) port = await takeRememberedPort(join(directory, 'port'))
    return taskFor(port)
  }

  const supervisor = superviseWorker<facts>(kind, nextTask, { ...defaultTimings, ...options.timings }, report)
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= supervisor.stop().finally(unlock))
  const onAbort = () => void stop()
  signal.addEventListener('abort', onAbort, { once: true })
  // Whoever heard of the start may have aborted it already.
  if (signal.aborted) onAbort()
  const facts = await supervisor.started.catch(async (error: unknown) => {
    await stop()
    signal.throwIfAborted()
    throw error
  })
  published = true
  return {
    url: `http://127.0.0.1:${port}`,
    facts,
    stop() {
      signal.removeEventListener('abort', onAbort)
      return stop()
    },
  }
}
