import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject, onTestFinished, vi } from 'vitest'
import { environment, repository } from './service.ts'

/** How a program has ended. */
export interface Ended {
  readonly code: number | null
  readonly lines: readonly string[]
  readonly output: string
}

/** An example that runs as a process of its own. */
export interface Running {
  /** Whole lines that were printed so far, on both outputs. */
  lines(): readonly string[]
  /** Waits until it has printed a line that matches, `times` over. */
  printed(pattern: RegExp, times?: number): Promise<void>
  /** Waits for the end, also that which a signal brings about. */
  ended(signal?: NodeJS.Signals): Promise<Ended>
}

/** How to run an example in another way. */
export interface Surroundings {
  readonly folder?: string
  readonly variables?: Readonly<Record<string, string>>
}

const { scripts }: { scripts: { example: string } } = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
)

/** Starts `npm run example -- <words>` in the folder of the service, without npm; it is gone when the test is. */
export function start(words: readonly string[], { folder, variables }: Surroundings = {}): Running {
  const cwd = folder ?? inject('folder')
  const flags = scripts.example.split(' ').slice(1, -1)
  const child = spawn(process.execPath, [...flags, join(repository, 'examples/run.ts'), ...words], {
    cwd,
    env: { ...environment(cwd), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return follow(child)
}

/** Runs an example to its end. */
export function run(words: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  return start(words, surroundings).ended()
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
            // It may have printed more than was read yet, but no more than once it is closed.
            if (isClosed) throw new Error(`the example has ended:\n${output}`)
            return false
          },
          { timeout: 50_000, interval: 20 },
        )
        .then(() => undefined),
    async ended(signal) {
      if (signal) child.kill(signal)
      await closed
      requireNoSecret(output)
      return { code: child.exitCode, lines: lines(), output }
    },
  }
}

/** No example prints a credential, whatever happens to it. */
function requireNoSecret(output: string): void {
  const { api_key, owner_password, nodes } = inject('development')
  const ofNodes = nodes.flatMap(({ token, password, x_token, example }) => [
    token,
    password,
    x_token,
    example?.['wallet_seed'],
  ])
  for (const secret of [api_key, owner_password, ...ofNodes]) {
    if (secret && output.includes(secret)) throw new Error('the example prints a credential')
  }
}
