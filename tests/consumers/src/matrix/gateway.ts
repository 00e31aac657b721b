import { startServerProcess } from '@fairlead/vitest/server-process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Project } from './project.ts'
import type { Results } from './results.ts'
import { run } from './run.ts'

/** A gateway in front of the embedded chains, started from the installed packages. */
export interface RunningGateway {
  /** The content of its `.fairlead/dev.json`. */
  readonly file: { readonly base_url: string; readonly nodes: readonly { readonly chain: string }[] }
  readonly results: Results
  stop(): Promise<void>
}

/** Runs the command-line help through `npx`, as a user does. */
export async function runHelp({ root }: Project): Promise<Results> {
  const { code, output } = await run('npx', ['--no-install', 'fairlead', '--help'], { cwd: root })
  const isHelp = code === 0 && output.includes('Usage: fairlead')
  return { gateway: isHelp ? 'pass' : output }
}

/**
 * Starts the installed gateway in front of the embedded chains and waits until it responds.
 *
 * @throws Error with its output when it exits early, or does not become ready
 */
export async function startGateway({ root }: Project): Promise<RunningGateway> {
  const folder = join(root, 'gateway')
  await mkdir(folder)
  const { end } = await startServerProcess({
    program: process.execPath,
    args: [join(root, 'node_modules/@fairlead/gateway/dist/bin.js'), 'dev'],
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, FAIRLEAD_PORT: '0' },
  })
  const text = await readFile(join(folder, '.fairlead/dev.json'), 'utf8')
  const file = JSON.parse(text) as RunningGateway['file']
  const chains = file.nodes.length
  return {
    file,
    results: { gateway: 'pass', devnet: chains === 4 ? 'pass' : `${chains} chains run instead of 4` },
    stop: async () => void (await end('SIGTERM')),
  }
}
