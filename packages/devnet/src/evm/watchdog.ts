/**
 * Runs one engine, kills it when it hangs, and outlives its parent process: when that process exits for any reason, the
 * watchdog saves the engine's state and stops the engine. Started by `engine-run.ts` with a {@link WatchdogTask} as its
 * argument.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { writeEngineRecord } from './engine-record.ts'
import { identifyProcess } from '../runtime/process-identity.ts'
import { untilUnresponsive } from './response-watch.ts'
import { adoptExitState } from './state/state-file.ts'
import { keepState, type StateKeeper } from './state/state-keeper.ts'
import type { WatchdogCommand, WatchdogNotice, WatchdogTask } from './watchdog-protocol.ts'

const task: WatchdogTask = JSON.parse(process.argv[2] ?? '')
const record = { watchdog: identifyProcess(process.pid), url: task.url, keepState: false }

// The channel to the parent reports the parent's exit: the system closes it when the parent dies, even by SIGKILL.
process.on('disconnect', stop)
process.on('message', (command: WatchdogCommand) => (command === 'stop' ? stop() : startSaving()))
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('SIGHUP', stop)

rmSync(task.exitStateFile, { force: true })
writeEngineRecord(task.recordFile, record)
const engine = spawn(task.program, task.args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
const identity = engine.pid === undefined ? undefined : identifyProcess(engine.pid)
writeEngineRecord(task.recordFile, { ...record, engine: identity })

let keeper: StateKeeper | undefined
let finishing: Promise<void> | undefined
let saved = false
let unsaved: unknown
const deadline = new AbortController()

for (const stream of [engine.stdout, engine.stderr]) {
  createInterface({ input: stream }).on('line', (line) => notify({ kind: 'output', line }))
}
engine.on('error', (error) => {
  // If the engine could not be started, the `close` event never occurs.
  if (engine.pid === undefined) void end(null, error.message)
})
engine.on('close', (exitCode, signal) => void end(exitCode, signal))
if (engine.pid !== undefined) void killWhenUnresponsive(engine.pid)
if (!process.connected) stop()

async function killWhenUnresponsive(pid: number): Promise<void> {
  const { url, responseDeadlineMs } = task
  const hangs = await untilUnresponsive({ url, pid, deadlineMs: responseDeadlineMs, signal: deadline.signal })
  if (!hangs) return
  notify({ kind: 'unresponsive' })
  engine.kill('SIGKILL')
}

function startSaving(): void {
  if (keeper !== undefined || finishing !== undefined) return
  writeEngineRecord(task.recordFile, { ...record, engine: identity, keepState: true })
  keeper = keepState({
    url: task.url,
    file: task.stateFile,
    intervalMs: task.saveIntervalMs,
    onError: reportUnsaved,
  })
  void keeper.firstSave.then(() => notify({ kind: 'saved' }))
}

function stop(): void {
  finishing ??= finish()
}

async function finish(): Promise<void> {
  const timer = setTimeout(() => {
    deadline.abort()
    engine.kill('SIGKILL')
  }, task.stopDeadlineMs)
  engine.on('close', () => clearTimeout(timer))
  try {
    await keeper?.finish(deadline.signal)
    saved = true
    // With SIGTERM, the engine would write its state a second time.
    engine.kill('SIGKILL')
  } catch (error) {
    unsaved = error
    engine.kill('SIGTERM')
  }
}

async function end(exitCode: number | null, signal: string | null): Promise<void> {
  deadline.abort()
  // A save in progress ends with the engine; its temporary file must be deleted before the next engine may start.
  await (finishing ?? keeper?.finish(deadline.signal).catch(() => undefined))
  if (!saved && keeper !== undefined && exitCode === 0) {
    saved = await adoptExitState(task.exitStateFile, task.stateFile)
  }
  if (!saved && unsaved !== undefined) reportUnsaved(unsaved)
  rmSync(task.exitStateFile, { force: true })
  rmSync(task.recordFile, { force: true })
  notify({ kind: 'exited', exitCode, signal }, () => process.exit())
}

function reportUnsaved(error: unknown): void {
  notify({ kind: 'unsaved', message: error instanceof Error ? error.message : String(error) })
}

// The parent may exit at any time; then there is no receiver, and the watchdog must not fail.
function notify(notice: WatchdogNotice, sent: () => void = () => undefined): void {
  if (process.send === undefined || !process.connected) sent()
  else process.send(notice, undefined, undefined, sent)
}
