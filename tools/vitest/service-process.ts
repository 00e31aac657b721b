import { type ChildProcess, spawn } from 'node:child_process'

/** A service that runs as a process of its own. */
export interface ServiceProcess {
  readonly process: ChildProcess
  /** Everything that the process has printed so far. */
  output(): string
  /** Sends a signal and waits for the end; answers with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** How a service is started. */
export interface ServiceStart {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What it prints when it answers; the line that says so unless given. */
  readonly ready?: RegExp
  /** How long it may take; what the start of all chains takes at most on a busy machine unless given. */
  readonly patienceMs?: number
}

/**
 * Starts a service and waits until it answers.
 *
 * @throws Error with its output when it ends before, or does not come up; nothing of it runs any more then
 */
export async function startServiceProcess(start: ServiceStart): Promise<ServiceProcess> {
  const { program, args, cwd, env, ready = /Fairlead is running/, patienceMs = 240_000 } = start
  const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
    return child.exitCode
  }
  let timer: NodeJS.Timeout | undefined
  const started = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (ready.test(output)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the service ended before it answered:\n${output}`)))
    timer = setTimeout(() => {
      reject(new Error(`the service did not come up:\n${output}`))
      child.kill('SIGKILL')
    }, patienceMs)
  })
  await started.finally(() => clearTimeout(timer))
  return { process: child, output: () => output, end }
}
