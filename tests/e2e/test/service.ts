import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../../..')

/** What `.fairlead/dev.json` says; tests know no more than scripts do. */
export interface DevelopmentFile {
  readonly base_url: string
  readonly console_url: string
  readonly api_key: string
  readonly organization_id: string
  readonly project_id: string
  readonly nodes: readonly [
    {
      readonly id: string
      readonly chain: string
      readonly network: string
      readonly protocols: readonly string[]
      readonly node_url: string
      readonly ws_url: string
      readonly token: string
      readonly username: string
      readonly password: string
    },
  ]
}

/** A service that runs as a process of its own, as `npm start` runs it. */
export interface Service {
  readonly process: ChildProcess
  readonly file: DevelopmentFile
  /** Everything that the process has printed so far. */
  output(): string
  /** Sends a signal and waits for the end; answers with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Makes an empty folder for a service; `remove` deletes it. */
export async function temporaryFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-e2e-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/**
 * Starts the service in a folder and waits until it answers.
 *
 * @throws Error with its output when it ends before
 */
export async function startService(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const child = spawn(
    process.execPath,
    ['--conditions=@fairlead/source', join(repository, 'packages/gateway/src/bin.ts'), 'dev'],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, FAIRLEAD_PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  const ended = once(child, 'exit')
  await new Promise<void>((started, failed) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Fairlead is running')) started()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then(() => failed(new Error(`the service ended before it answered:\n${output}`)))
  })
  const file = JSON.parse(await readFile(join(folder, '.fairlead/dev.json'), 'utf8')) as DevelopmentFile
  return {
    process: child,
    file,
    output: () => output,
    end: async (signal) => {
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}
