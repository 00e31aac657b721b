import { type ChildProcess, spawn } from 'node:child_process'

/** A gateway that runs in a separate process. */
export interface ServerProcess {
  readonly process: ChildProcess
  /** Returns the complete output so far. */
  output(): string
  /** Sends a signal, waits for the exit and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Options for starting a gateway. */
export interface ServerStart {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Matches the output of the ready gateway. The default is the line that reports its URL. */
  readonly ready?: RegExp
  /** The startup timeout. The default is the maximum startup time with all chains on a busy machine. */
  readonly timeoutMs?: number
}

/**
 * Starts a gateway and waits until it responds.
 *
 * @throws Error with its output when it exits early, or does not become ready; the process is stopped in that case
 */
export async function startServerProcess(start: ServerStart): Promise<ServerProcess> {
  const { program, args, cwd, env, ready = /Fairlead is running/, timeoutMs = 240_000 } = start
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
    child.once('exit', () => reject(new Error(`the gateway exited before it was ready:\n${output}`)))
    timer = setTimeout(() => {
      reject(new Error(`the gateway did not become ready:\n${output}`))
      child.kill('SIGKILL')
    }, timeoutMs)
  })
  await started.finally(() => clearTimeout(timer))
  return { process: child, output: () => output, end }
}
