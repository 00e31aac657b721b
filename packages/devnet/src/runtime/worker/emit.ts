import { parentPort } from 'node:worker_threads'
import type { WorkerNotice } from './worker-protocol.ts'

/** Notifies the thread that started this worker. */
export function emit(notice: WorkerNotice<unknown>): void {
  parentPort?.postMessage(notice, [])
}

/** Reports an error that does not stop the worker. */
export function emitFault(error: unknown): void {
  emit({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

/** Reports that a new chain has its sample data. */
export function emitSeeded(durationMs: number): void {
  emit({ kind: 'seeded', durationMs })
}

/** Ends the worker by an uncaught error, once work in progress has ended; another worker replaces it. */
export function fail(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}
