import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { memoryMeter } from '@fairlead/vitest/memory-meter'

/** A program of a test, in a separate process. */
export interface TestProcess {
  /** The groups that the pattern has matched in the output. */
  readonly found: readonly string[]
  /** Returns the resident memory after a garbage collection, in megabytes. */
  memory(): Promise<number>
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
  const meter = await memoryMeter()
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [...flags, ...options.arguments], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...meter.environment, ...env },
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
    memory: async () => (await meter.residentBytes(child.pid)) / 1_024 ** 2,
    async end(signal) {
      child.kill(signal)
      await exited
    },
  }
}
