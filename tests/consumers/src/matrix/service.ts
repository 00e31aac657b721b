import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Project } from './project.ts'
import type { Results } from './results.ts'
import { run } from './run.ts'

/** A service over the embedded chains that was started from the installed packages. */
export interface RunningService {
  /** What it says about itself in `.fairlead/dev.json`. */
  readonly file: { readonly base_url: string; readonly nodes: readonly { readonly chain: string }[] }
  readonly results: Results
  stop(): Promise<void>
}

// What the start of all chains takes at most on a busy machine.
const patienceMs = 240_000

/** Asks the command line for its help, by `npx` as a user does. */
export async function askForHelp({ root }: Project): Promise<Results> {
  const { code, output } = await run('npx', ['--no-install', 'fairlead', '--help'], { cwd: root })
  const isHelp = code === 0 && output.includes('Usage: fairlead')
  return { gateway: isHelp ? 'pass' : output }
}

/**
 * Starts the installed service over the embedded chains and waits until it answers.
 *
 * @throws Error with its output when it ends before, or does not come up
 */
export async function startService({ root }: Project): Promise<RunningService> {
  const folder = join(root, 'service')
  await mkdir(folder)
  const child = spawn(process.execPath, [join(root, 'node_modules/@fairlead/gateway/dist/bin.js'), 'dev'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, FAIRLEAD_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilItRuns(child)
  const text = await readFile(join(folder, '.fairlead/dev.json'), 'utf8')
  const file = JSON.parse(text) as RunningService['file']
  const chains = file.nodes.length
  return {
    file,
    results: { gateway: 'pass', devnet: chains === 4 ? 'pass' : `${chains} chains run instead of 4` },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function untilItRuns(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((started, failed) => {
    const fail = (what: string) => failed(new Error(`the service ${what}:\n${output}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail('did not come up')
    }, patienceMs)
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (!output.includes('Fairlead is running')) return
      clearTimeout(timer)
      started()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => {
      clearTimeout(timer)
      fail('ended before it answered')
    })
  })
}
