import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** A program of a test, in a separate process. */
export interface TestProcess {
  /** The groups that the pattern has matched in the output. */
  readonly found: readonly string[]
  /** Returns the current memory usage, in megabytes. */
  memory(): number
  /** Sends a signal and waits for the exit. */
  end(signal: NodeJS.Signals): Promise<void>
}

export interface ProcessOptions {
  readonly arguments: readonly string[]
  /** Matches the output of the ready program. */
  readonly ready: RegExp
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Starts a program from its sources and waits until it is ready.
 *
 * @throws Error with its output when it exits early
 */
export async function startProcess({ ready, cwd, env, ...options }: ProcessOptions): Promise<TestProcess> {
  // The optimizing WebAssembly compiler does not pay off, because the database of a gateway is short-lived.
  const flags = ['--liftoff-only', '--conditions=@fairlead/source']
  const child = spawn(process.execPath, [...flags, ...options.arguments], {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let output = ''
  const found = await new Promise<readonly string[]>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const match = ready.exec(output)
      if (match) resolve(match.slice(1))
    })
    child.once('exit', () => reject(new Error(`the program ended before it was ready: ${output}`)))
  })
  return {
    found,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
    },
    async end(signal) {
      child.kill(signal)
      await exited
    },
  }
}
