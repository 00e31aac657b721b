import type { ProcessIdentity } from '../runtime/process-identity.ts'

/** The task of a watchdog; passed as JSON in its only argument. */
export interface WatchdogTask {
  /** Path of the engine's executable. */
  program: string
  args: readonly string[]
  /** URL at which the engine will accept calls. */
  url: string
  /** Path of the state file. */
  stateFile: string
  /** The file to which the engine writes its state when another process stops it. */
  exitStateFile: string
  /** Path of the {@link EngineRecord}. */
  recordFile: string
  /** Milliseconds between two checks for a state change to save. */
  saveIntervalMs: number
  /** Milliseconds that the engine has to respond. An idle engine that misses two deadlines in a row is killed. */
  responseDeadlineMs: number
  /** Milliseconds that the engine has to exit before it is killed. */
  stopDeadlineMs: number
}

/** The commands to a watchdog. */
export type WatchdogCommand = 'keep-state' | 'stop'

/** The notifications from a watchdog. */
export type WatchdogNotice =
  | { kind: 'output'; line: string }
  | { kind: 'saved' }
  | { kind: 'unsaved'; message: string }
  | { kind: 'unresponsive' }
  | { kind: 'exited'; exitCode: number | null; signal: string | null }

/** Stored in the data directory while an engine runs, for the next start after a crash. */
export interface EngineRecord {
  watchdog: ProcessIdentity | undefined
  engine?: ProcessIdentity | undefined
  url: string
  /** False until the sample data is complete: an earlier state is not saved. */
  keepState: boolean
}
