import { parentPort } from 'node:worker_threads'
import type { WorkerNotice } from './worker-protocol.ts'

/** Tells the thread that has started this worker. */
export function emit(notice: WorkerNotice<unknown>): void {
  parentPort?.postMessage(notice, [])
}

/** Tells of an error that ended nothing. */
export function emitFault(error: unknown): void {
  emit({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

/** Tells that a new chain has its sample data. */
export function emitSeeded(durationMs: number): void {
  emit({ kind: 'seeded', durationMs })
}

/** Ends the worker by an error that nobody can catch, once what is under way has ended; another one takes its place. */
export function fail(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}
