import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished, vi } from 'vitest'
import { environment, repository } from './gateway.ts'

/** The result of a finished program. */
export interface ExitResult {
  readonly code: number | null
  readonly lines: readonly string[]
  readonly output: string
}

/** An example that runs in a separate process. */
export interface Running {
  /** The complete lines printed so far, on both outputs. */
  lines(): readonly string[]
  /** Waits until the example has printed `times` lines that match. */
  printed(pattern: RegExp, times?: number): Promise<void>
  /** Waits for the end. If a signal is given, sends it first. */
  waitForExit(signal?: NodeJS.Signals): Promise<ExitResult>
}

/** Options for running an example. */
export interface RunOptions {
  readonly folder?: string
  readonly variables?: Readonly<Record<string, string>>
}

const { scripts }: { scripts: { example: string } } = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
)

/** Starts `npm run example -- <words>` in the folder of the gateway, without npm. The process ends with the test. */
export function start(argv: readonly string[], { folder, variables }: RunOptions = {}): Running {
  const cwd = folder ?? inject('folder')
  const flags = scripts.example.split(' ').slice(1, -1)
  const child = spawn(process.execPath, [...flags, join(repository, 'examples/run.ts'), ...argv], {
    cwd,
    env: { ...environment(cwd), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return follow(child)
}

/** Runs an example to its end. */
export function run(argv: readonly string[], options?: RunOptions): Promise<ExitResult> {
  return start(argv, options).waitForExit()
}

function follow(child: ChildProcess): Running {
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  let isClosed = false
  const closed = once(child, 'close').then(() => (isClosed = true))
  const lines = () => output.split('\n').slice(0, -1)
  return {
    lines,
    printed: (pattern, times = 1) =>
      vi
        .waitUntil(
          () => {
            if (lines().filter((line) => pattern.test(line)).length >= times) return true
            // The process may have printed more than was read yet. After `close`, all output has been read.
            if (isClosed) throw new Error(`the example has ended:\n${output}`)
            return false
          },
          { timeout: 50_000, interval: 20 },
        )
        .then(() => undefined),
    async waitForExit(signal) {
      if (signal) child.kill(signal)
      await closed
      requireNoSecret(output)
      return { code: child.exitCode, lines: lines(), output }
    },
  }
}

/** No example may print a credential. */
function requireNoSecret(output: string): void {
  const { api_key, owner_password, nodes } = inject('development')
  const nodeSecrets = nodes.flatMap(({ token, password, x_token, example }) => [
    token,
    password,
    x_token,
    example?.['wallet_seed'],
  ])
  for (const secret of [api_key, owner_password, ...nodeSecrets]) {
    if (secret && output.includes(secret)) throw new Error('the example prints a credential')
  }
}
