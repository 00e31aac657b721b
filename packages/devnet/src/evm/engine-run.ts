import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../runtime/compile-cache.ts'
import type { WatchdogCommand, WatchdogNotice, WatchdogTask } from './watchdog-protocol.ts'

const maxLines = 20

/** How a run of an engine ended. */
export interface EngineExit {
  exitCode: number | null
  signal: string | null
  /** The last lines of the engine's output. */
  lines: readonly string[]
  /** True when the watchdog was killed; the engine may then still run. */
  watchdogLost: boolean
}

/** One run of an engine under its watchdog. */
export interface EngineRun {
  /** Resolves when the engine and its watchdog have exited. */
  exited: Promise<EngineExit>
  /** Starts to save the state to disk periodically; resolves after the first save. */
  keepState(): Promise<void>
  /** Requests the engine to save its state and exit; {@link EngineRun.exited} resolves afterwards. */
  stop(): void
}

/** Callbacks for the reports of a run. */
export interface EngineRunListener {
  onOutput: (line: string) => void
  onUnsaved: (message: string) => void
  /** The engine hangs and is being killed. */
  onUnresponsive: () => void
}

/**
 * Starts an engine under a separate watchdog.
 *
 * @param task The engine to run.
 * @param listener Callbacks for the reports of the run.
 * @returns The run; the engine may not accept calls yet.
 */
export function runEngine(task: WatchdogTask, listener: EngineRunListener): EngineRun {
  const watchdog = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', watchdogPath(), JSON.stringify(task)],
    {
      // In a separate process group, neither Ctrl-C in a terminal nor a signal to the parent's group reaches the
      // watchdog.
      detached: true,
      // Neither the watchdog nor the engine needs other environment variables, so none of the secrets are passed on.
      env: { ...compileCache() },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      windowsHide: true,
    },
  )
  const lines: string[] = []
  let ended: Omit<EngineExit, 'lines' | 'watchdogLost'> | undefined
  let resolveSaved!: () => void
  const saved = new Promise<void>((resolve) => {
    resolveSaved = resolve
  })

  function handleNotice(notice: WatchdogNotice): void {
    switch (notice.kind) {
      case 'output':
        addLine(notice.line)
        listener.onOutput(notice.line)
        return
      case 'saved':
        resolveSaved()
        return
      case 'unsaved':
        listener.onUnsaved(notice.message)
        return
      case 'unresponsive':
        listener.onUnresponsive()
        return
      case 'exited':
        ended = notice
        return
      default:
        return notice satisfies never
    }
  }

  function addLine(line: string): void {
    lines.push(line)
    if (lines.length > maxLines) lines.shift()
  }

  const exited = new Promise<EngineExit>((resolve) => {
    watchdog.on('error', (error) => {
      addLine(error.message)
      if (watchdog.pid === undefined) resolve({ exitCode: null, signal: null, lines, watchdogLost: true })
    })
    watchdog.on('close', (exitCode, signal) => {
      resolve({ ...(ended ?? { exitCode, signal }), lines, watchdogLost: ended === undefined })
    })
  })
  watchdog.on('message', handleNotice)
  watchdog.stderr?.on('data', (text: Buffer) => text.toString().trimEnd().split('\n').forEach(addLine))

  function send(command: WatchdogCommand): void {
    // The exit of a watchdog reports its end.
    if (watchdog.connected) watchdog.send(command, () => undefined)
  }

  return {
    exited,
    keepState: () => {
      send('keep-state')
      return Promise.race([saved, exited.then(() => undefined)])
    },
    stop: () => send('stop'),
  }
}

// The package runs from its sources and from its build.
function watchdogPath(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`./watchdog.${extension}`, import.meta.url))
}
