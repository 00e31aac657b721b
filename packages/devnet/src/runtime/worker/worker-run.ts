import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { compileCache } from '../compile-cache.ts'
import type { DevnetErrorCode } from '../devnet-error.ts'
import type { Report } from '../devnet-event.ts'
import type { WorkerKind } from './worker-kind.ts'
import type { WorkerCommand, WorkerNotice } from './worker-protocol.ts'

// A process that runs from sources also loads the other packages of the repository from their sources.
const fromSources = ['--conditions=@fairlead/source']

/** A failure that every other start would have as well. */
export interface PermanentFailure {
  code: DevnetErrorCode
  message: string
}

/** How a run of a worker ended. */
export interface WorkerExit {
  exitCode: number
  /** The error that ended it, if there was one. */
  error: Error | undefined
  /** The reason why it ended itself to be replaced, if it did. */
  renewal: string | undefined
  /** The reason why another start cannot succeed, if there is one. */
  permanentFailure: PermanentFailure | undefined
}

/** One run of a worker. */
export interface WorkerRun<data> {
  /** Resolves when the chain accepts calls; never settles when the worker ends before. */
  ready: Promise<data>
  /** Resolves when the worker has ended. */
  exited: Promise<WorkerExit>
  /** Stops the worker; resolves when it has ended. */
  stop(): Promise<void>
}

/**
 * Starts a worker.
 *
 * @param kind The kind of worker.
 * @param task The task, passed as its `workerData`.
 * @param report Called with events that do not end the worker.
 * @returns The run; the worker may not accept calls yet.
 */
export function runWorker<data>(kind: WorkerKind, task: unknown, report: Report): WorkerRun<data> {
  const worker = new Worker(kind.module, {
    workerData: task,
    env: { ...kind.env, ...compileCache() },
    execArgv: kind.module.pathname.endsWith('.ts') ? fromSources : [],
    resourceLimits: { maxOldGenerationSizeMb: kind.maxHeapMegabytes },
    stdout: true,
    stderr: true,
  })
  worker.stdout.resume()
  worker.stderr.resume()

  let error: Error | undefined
  let renewal: string | undefined
  let permanentFailure: PermanentFailure | undefined
  worker.on('error', (cause) => {
    error = cause instanceof Error ? cause : new Error(String(cause))
  })
  const exited = new Promise<WorkerExit>((resolve) => {
    worker.on('exit', (exitCode) => resolve({ exitCode, error, renewal, permanentFailure }))
  })
  const ready = new Promise<data>((resolve) => {
    worker.on('message', (notice: WorkerNotice<data>) => {
      if (notice.kind === 'ready') resolve(notice.data)
      else if (notice.kind === 'renew') renewal = notice.message
      else if (notice.kind === 'unreadable') permanentFailure = { ...notice, code: 'DEVNET_STATE_UNREADABLE' }
      else if (notice.kind === 'unavailable')
        permanentFailure = { ...notice, code: 'DEVNET_ENGINE_UNAVAILABLE' }
      else if (notice.kind === 'seeded') report({ ...notice, message: describeSeed(notice.durationMs) })
      else report({ kind: 'output', line: notice.message, message: notice.message })
    })
  })

  return {
    ready,
    exited,
    async stop() {
      worker.postMessage('stop' satisfies WorkerCommand, [])
      await Promise.race([exited, sleep(kind.gracefulStopMs)])
      await worker.terminate()
      await exited
    },
  }
}

function describeSeed(durationMs: number): string {
  return `The fresh chain has its sample data (${durationMs} ms).`
}
