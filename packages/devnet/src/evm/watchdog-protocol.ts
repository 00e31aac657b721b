import type { ProcessIdentity } from '../runtime/process-identity.ts'

/** What a watchdog has to run; it comes as JSON in its only argument. */
export interface WatchdogTask {
  /** Path of the engine's program. */
  program: string
  args: readonly string[]
  /** Address at which the engine will answer. */
  url: string
  /** Path of the state file. */
  stateFile: string
  /** Where the engine writes its state by itself when somebody else asks it to end. */
  exitStateFile: string
  /** Path of the {@link EngineRecord}. */
  recordFile: string
  /** Milliseconds between two looks at the chain for something to save. */
  saveIntervalMs: number
  /** Milliseconds that the engine gets to end before it is killed. */
  stopDeadlineMs: number
}

/** What the watchdog is told. */
export type WatchdogCommand = 'keep-state' | 'stop'

/** What the watchdog tells. */
export type WatchdogNotice =
  | { kind: 'output'; line: string }
  | { kind: 'saved' }
  | { kind: 'unsaved'; message: string }
  | { kind: 'exited'; exitCode: number | null; signal: string | null }

/** Left in the data directory while an engine runs, for whoever comes after a crash. */
export interface EngineRecord {
  watchdog: ProcessIdentity | undefined
  engine?: ProcessIdentity | undefined
  url: string
  /** False until the sample data is complete: a state before that is not worth keeping. */
  keepState: boolean
}
