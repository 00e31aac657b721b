import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from '../runtime/devnet-error.ts'
import type { Report } from '../runtime/devnet-event.ts'
import { runEngine, type EngineExit, type EngineRun } from './engine-run.ts'
import { RestartBackoff, type SupervisorTimings } from '../runtime/supervisor-timings.ts'
import type { WatchdogTask } from './watchdog-protocol.ts'

/** The parts of the supervision that are specific to one kind of engine. */
export interface SupervisedEngine {
  /** Returns the engine to run; called before each start. */
  nextTask(): Promise<WatchdogTask>
  /** Resolves once the engine responds. */
  waitUntilResponding(url: string, signal: AbortSignal): Promise<void>
  /** Makes a running engine ready for use. An error ends the supervision, unless the engine itself has exited. */
  prepare(url: string, signal: AbortSignal): Promise<void>
  /** Returns an error for an exit that another start cannot fix. */
  explain(exit: EngineExit): DevnetError | undefined
  /** Stops the engine that a killed watchdog left running. */
  endLeftover(signal: AbortSignal): Promise<void>
}

/** A supervised engine. */
export interface Supervisor {
  /** Resolves when the engine is ready for the first time; rejects when it never becomes ready. */
  started: Promise<void>
  /** Stops the engine permanently; every call returns the same promise. */
  stop(): Promise<void>
}

/**
 * Starts an engine and restarts it whenever it exits unexpectedly or hangs.
 *
 * @param engine The engine to run.
 * @param timings Intervals and timeouts.
 * @param report Called with every step.
 * @returns The running supervisor.
 */
export function supervise(engine: SupervisedEngine, timings: SupervisorTimings, report: Report): Supervisor {
  const stopping = new AbortController()
  const { signal } = stopping
  let run: EngineRun | undefined
  let startup!: { resolve: () => void; reject: (reason: unknown) => void }
  const started = new Promise<void>((resolve, reject) => {
    startup = { resolve, reject }
  })
  // A caller that stops the engine during the start may no longer await this promise.
  started.catch(() => undefined)

  /**
   * @returns Whether the engine became ready.
   */
  async function waitUntilReady(current: EngineRun, url: string): Promise<boolean> {
    const beganAt = Date.now()
    const exited = new AbortController()
    void current.exited.then(() => exited.abort())
    const startSignal = AbortSignal.any([signal, exited.signal, AbortSignal.timeout(timings.readyDeadlineMs)])
    try {
      await engine.waitUntilResponding(url, startSignal)
    } catch {
      if (signal.aborted || exited.signal.aborted) return false
      current.stop()
      throw new DevnetError(
        'DEVNET_ENGINE_FAILED',
        `The engine did not respond at ${url} within ${timings.readyDeadlineMs} ms.`,
      )
    }
    try {
      await engine.prepare(url, AbortSignal.any([signal, exited.signal]))
    } catch (error) {
      // A connection can break shortly before the exit is reported.
      if (await Promise.race([current.exited, sleep(500, undefined)])) return false
      if (signal.aborted) return false
      current.stop()
      throw error
    }
    await current.keepState()
    if (signal.aborted || exited.signal.aborted) return false
    report({ kind: 'ready', url, durationMs: Date.now() - beganAt, message: `Accepts calls at ${url}.` })
    startup.resolve()
    return true
  }

  async function work(): Promise<void> {
    const backoff = new RestartBackoff(timings)
    for (;;) {
      report({ kind: 'starting', message: 'Starting the engine.' })
      const task = await engine.nextTask()
      if (signal.aborted) return
      const beganAt = Date.now()
      run = runEngine(task, {
        onOutput: (line) => report({ kind: 'output', line, message: line }),
        onUnsaved: (message) =>
          report({ kind: 'unsaved', message: `The state could not be written: ${message}` }),
        onUnresponsive: () =>
          report({ kind: 'unresponsive', message: 'The engine does not respond and is killed.' }),
      })
      const start = await waitUntilReady(run, task.url).then(
        (wasReady) => ({ wasReady, error: undefined }),
        (error: unknown) => ({ wasReady: false, error }),
      )
      const exit = await run.exited
      if (exit.watchdogLost) await engine.endLeftover(AbortSignal.timeout(timings.readyDeadlineMs))
      if (signal.aborted) return
      report({ kind: 'exited', exitCode: exit.exitCode, signal: exit.signal, message: describe(exit) })
      const final = start.error ?? engine.explain(exit)
      if (final !== undefined) throw final
      const { wasReady } = start
      const { failures, failedStarts, delayMs } = backoff.next({
        wasReady,
        durationMs: Date.now() - beganAt,
      })
      if (delayMs === undefined) throw failedStartsError(failedStarts, exit)
      report({ kind: 'restarting', delayMs, failures, message: `Starting again in ${delayMs} ms.` })
      await sleep(delayMs, undefined, { signal })
    }
  }

  const working = work()
    .catch(async (error: unknown) => {
      run?.stop()
      await run?.exited
      if (signal.aborted) return
      const failure =
        error instanceof DevnetError
          ? error
          : new DevnetError('DEVNET_ENGINE_FAILED', String(error), { cause: error })
      report({ kind: 'failed', error: failure, message: failure.message })
      startup.reject(failure)
    })
    .finally(() => startup.reject(signal.reason))

  async function stopOnce(): Promise<void> {
    report({ kind: 'stopping', message: 'Saving the state and ending the engine.' })
    stopping.abort()
    run?.stop()
    await working
    report({ kind: 'stopped', message: 'The engine has ended.' })
  }

  let stopped: Promise<void> | undefined
  return { started, stop: () => (stopped ??= stopOnce()) }
}

function describe(exit: EngineExit): string {
  const reason = exit.signal === null ? `exit code ${exit.exitCode}` : exit.signal
  return exit.watchdogLost ? `The watchdog of the engine ended (${reason}).` : `The engine ended (${reason}).`
}

function failedStartsError(failedStarts: number, exit: EngineExit): DevnetError {
  const printed = exit.lines.length === 0 ? ' It printed nothing.' : ` It printed:\n${exit.lines.join('\n')}`
  return new DevnetError(
    'DEVNET_ENGINE_FAILED',
    `The engine ended ${failedStarts} times in a row before it was ready and is not started again. ${describe(exit)}${printed}`,
  )
}
