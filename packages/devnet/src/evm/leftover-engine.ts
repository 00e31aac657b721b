import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevnetError } from '../runtime/devnet-error.ts'
import { readEngineRecord } from './engine-record.ts'
import { isRunning, type ProcessIdentity } from '../runtime/process-identity.ts'
import { adoptExitState, saveFinalState } from './state/state-file.ts'
import type { EngineRecord } from './watchdog-protocol.ts'

const pollMs = 50
const saveDeadlineMs = 10_000
const endDeadlineMs = 5_000

/** Options for handling an engine that an earlier process left running. */
export interface LeftoverEngineOptions {
  /** Path of the engine record. */
  recordFile: string
  stateFile: string
  /** The file to which the engine writes its state on exit. */
  exitStateFile: string
  /** Milliseconds to wait for a watchdog that is still stopping its engine. */
  waitMs: number
  /** Called once when the function has to wait for a watchdog. */
  onWait: (pid: number) => void
  signal: AbortSignal
}

/**
 * Resolves when no earlier engine uses the data directory any more.
 *
 * It waits for a running watchdog. If the watchdog of an engine was killed, it saves the state of that engine and stops
 * it.
 *
 * @param options See {@link LeftoverEngineOptions}.
 * @throws {@link DevnetError} `DEVNET_LOCKED` when the earlier engine does not exit.
 */
export async function endLeftoverEngine(options: LeftoverEngineOptions): Promise<void> {
  const { recordFile, signal } = options
  const initialRecord = readEngineRecord(recordFile)
  if (initialRecord === undefined) return
  if (initialRecord.watchdog !== undefined && isRunning(initialRecord.watchdog)) {
    options.onWait(initialRecord.watchdog.pid)
    await waitForEnd(initialRecord.watchdog, options.waitMs, signal)
  }
  // The watchdog completes the record while it runs, so it is read again.
  const record = readEngineRecord(recordFile)
  if (record?.engine !== undefined && isRunning(record.engine)) {
    await endEngine(record, record.engine, options)
  } else if (record?.keepState === true) {
    // Its watchdog was killed after the exit of the engine and before it adopted the state file.
    await adoptExitState(options.exitStateFile, options.stateFile)
  }
  rmSync(recordFile, { force: true })
}

async function endEngine(
  record: EngineRecord,
  engine: ProcessIdentity,
  options: LeftoverEngineOptions,
): Promise<void> {
  const { stateFile, exitStateFile, signal } = options
  let saved = !record.keepState
  if (!saved) {
    const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(saveDeadlineMs)])
    // For an engine that no longer responds, the last saved state remains.
    saved = await saveFinalState(record.url, stateFile, timeoutSignal).then(
      () => true,
      () => false,
    )
  }
  // On a system that does not report process start times, the id may belong to another process by now.
  if (engine.began !== '') {
    send(engine.pid, 'SIGTERM')
    for (let waitedMs = 0; waitedMs < endDeadlineMs && isRunning(engine); waitedMs += pollMs)
      await sleep(pollMs)
    if (isRunning(engine)) send(engine.pid, 'SIGKILL')
  }
  await waitForEnd(engine, endDeadlineMs, signal)
  if (!saved) await adoptExitState(exitStateFile, stateFile)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between.
  }
}

async function waitForEnd(process: ProcessIdentity, waitMs: number, signal: AbortSignal): Promise<void> {
  for (const deadline = Date.now() + waitMs; isRunning(process);) {
    if (Date.now() >= deadline) {
      throw new DevnetError(
        'DEVNET_LOCKED',
        `Process ${process.pid} of an earlier development chain does not exit. Stop it manually.`,
      )
    }
    await sleep(pollMs, undefined, { signal })
  }
}
