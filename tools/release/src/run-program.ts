import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'

/** The result of a finished program. */
export interface Ended {
  readonly code: number
  /** Its complete output. */
  readonly output: string
}

/** Returns the environment of a program, with the commands of the checkout on PATH. */
export function environmentOf(root: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    // Plain lines instead of an animated display.
    CI: 'true',
  }
}

/**
 * Runs a program of a checkout to its end, with its output on this terminal.
 *
 * @throws Error naming the program when it exits with a code other than 0
 */
export async function runProgram(root: string, program: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    cwd: root,
    env: environmentOf(root),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${code ?? 'a signal'}`)
}

/** Runs a program of a checkout to its end, and returns its output whatever the exit code. */
export async function observeProgram(
  root: string,
  program: string,
  ...args: readonly string[]
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: environmentOf(root), maxBuffer: 64 << 20 }
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      const output = stdout + stderr
      // Without an exit code, the program could not be started, or was killed.
      resolve(error ? { code: child.exitCode ?? 1, output: output || error.message } : { code: 0, output })
    })
  })
}
