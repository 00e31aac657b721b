import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from '../devnet-error.ts'
import type { Report } from '../devnet-event.ts'
import { RestartBackoff, type SupervisorTimings } from '../supervisor-timings.ts'
import type { WorkerKind } from './worker-kind.ts'
import { runWorker, type WorkerExit, type WorkerRun } from './worker-run.ts'

/** A supervised worker. */
export interface WorkerSupervisor<data> {
  /**
   * Resolves when the worker is ready for the first time, with the data that it reported; rejects when it never becomes
   * ready.
   */
  started: Promise<data>
  /** Stops the worker permanently; every call returns the same promise. */
  stop(): Promise<void>
}

/**
 * Starts a worker and restarts it whenever it ends unexpectedly.
 *
 * @param kind The kind of worker.
 * @param nextTask Returns the task; called before each start.
 * @param timings Intervals and timeouts.
 * @param report Called with every step.
 * @returns The running supervisor.
 */
export function superviseWorker<data>(
  kind: WorkerKind,
  nextTask: () => Promise<{ readonly port: number }>,
  timings: SupervisorTimings,
  report: Report,
): WorkerSupervisor<data> {
  const stopping = new AbortController()
  const { signal } = stopping
  let run: WorkerRun<data> | undefined
  let start!: { resolve: (data: data) => void; reject: (reason: unknown) => void }
  const started = new Promise<data>((resolve, reject) => {
    start = { resolve, reject }
  })
  // A caller that stops the worker during the start may no longer await this promise.
  started.catch(() => undefined)

  async function runOnce(task: {
    readonly port: number
  }): Promise<{ readonly exit: WorkerExit; readonly wasReady: boolean }> {
    const beganAt = Date.now()
    const current = runWorker<data>(kind, task, report)
    run = current
    const silence = new AbortController()
    const timeout = sleep(timings.readyDeadlineMs, 'late' as const, { signal: silence.signal }).catch(
      () => undefined,
    )
    const first = await Promise.race([
      current.ready.then((data) => ({ facts: data })),
      current.exited,
      timeout,
    ])
    silence.abort()
    if (first === 'late') {
      await current.stop()
      const error = new Error(`it did not respond within ${timings.readyDeadlineMs} ms`)
      const exit = { exitCode: 1, renewal: undefined, permanentFailure: undefined, error }
      return { exit, wasReady: false }
    }
    const wasReady = first !== undefined && 'facts' in first
    if (wasReady && !signal.aborted) {
      const url = `http://127.0.0.1:${task.port}`
      const message = `Accepts calls at ${url}. ${kind.onReady}`
      report({ kind: 'ready', url, durationMs: Date.now() - beganAt, message })
      start.resolve(first.facts)
    }
    return { exit: await current.exited, wasReady }
  }

  async function work(): Promise<void> {
    const usual = `Starting the ${kind.name}.`
    let message = usual
    const backoff = new RestartBackoff(timings)
    for (;;) {
      report({ kind: 'starting', message })
      const task = await nextTask()
      if (signal.aborted) return
      const beganAt = Date.now()
      const { exit, wasReady } = await runOnce(task)
      if (signal.aborted) return
      if (exit.renewal !== undefined) {
        message = exit.renewal
        backoff.reset()
        continue
      }
      message = usual
      report({ kind: 'exited', exitCode: exit.exitCode, signal: null, message: describe(kind, exit) })
      if (exit.permanentFailure !== undefined)
        throw new DevnetError(exit.permanentFailure.code, exit.permanentFailure.message)
      const { failures, failedStarts, delayMs } = backoff.next({
        wasReady,
        durationMs: Date.now() - beganAt,
      })
      if (delayMs === undefined) throw failedStartsError(kind, failedStarts, exit)
      const pause = `Starting again${kind.onRestart} in ${delayMs} ms.`
      report({ kind: 'restarting', delayMs, failures, message: pause })
      await sleep(delayMs, undefined, { signal })
    }
  }

  const working = work()
    .catch((error: unknown) => {
      if (signal.aborted) return
      const failure =
        error instanceof DevnetError
          ? error
          : new DevnetError('DEVNET_ENGINE_FAILED', String(error), { cause: error })
      report({ kind: 'failed', error: failure, message: failure.message })
      start.reject(failure)
    })
    .finally(() => start.reject(signal.reason))

  async function stopOnce(): Promise<void> {
    report({ kind: 'stopping', message: `Ending the ${kind.name}.` })
    stopping.abort()
    await run?.stop()
    await working
    report({ kind: 'stopped', message: `The ${kind.name} has ended.` })
  }

  let stopped: Promise<void> | undefined
  return { started, stop: () => (stopped ??= stopOnce()) }
}

function describe({ name }: WorkerKind, { exitCode, error, permanentFailure }: WorkerExit): string {
  const reason = permanentFailure?.message ?? (error === undefined ? `exit code ${exitCode}` : String(error))
  return `The worker of the ${name} ended (${reason}).`
}

function failedStartsError(kind: WorkerKind, failedStarts: number, exit: WorkerExit): DevnetError {
  return new DevnetError(
    'DEVNET_ENGINE_FAILED',
    `The ${kind.name} ended ${failedStarts} times in a row before it was ready and is not started again. ${describe(kind, exit)}`,
    { cause: exit.error },
  )
}
