import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { startServerProcess } from '@fairlead/vitest/server-process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../../..')

/** A node as described in `.fairlead/dev.json`. */
export interface DevelopmentNode {
  readonly node_url: string
  readonly token: string
  readonly username: string
  readonly password: string
  readonly x_token: string
  readonly example: Readonly<Record<string, string>>
}

/** The content of `.fairlead/dev.json`. */
export interface DevelopmentFile {
  readonly base_url: string
  readonly api_key: string
  readonly owner_password: string
  readonly nodes: readonly [
    evm: DevelopmentNode,
    beacon: DevelopmentNode,
    jetton: DevelopmentNode,
    solana: DevelopmentNode,
  ]
}

/** A gateway in front of the embedded chains, as `npm start` runs it, in a separate folder. */
export interface RunningGateway {
  /** The folder in which programs find it through `.fairlead/dev.json`. */
  readonly folder: string
  readonly file: DevelopmentFile
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/**
 * Starts the gateway and waits until it responds.
 *
 * @throws Error with its output when it exits early, or does not become ready
 */
export async function startGateway(): Promise<RunningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-examples-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    await copyEmptyDatabase(join(folder, '.fairlead'))
    const { end } = await startServerProcess({
      program: process.execPath,
      args: [
        // Optimized compilation of WebAssembly takes longer than the tests run.
        '--liftoff-only',
        '--conditions=@fairlead/source',
        join(repository, 'packages/gateway/src/bin.ts'),
        'dev',
      ],
      cwd: folder,
      env: { ...environment(folder), FAIRLEAD_PORT: '0' },
    })
    return {
      folder,
      file: JSON.parse(await readFile(join(folder, '.fairlead/dev.json'), 'utf8')),
      stop: async () => {
        await end('SIGTERM')
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The complete environment of the programs of a test. They inherit nothing from this process. */
export function environment(folder: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    // Otherwise, every start would compile the same sources again.
    NODE_COMPILE_CACHE: join(tmpdir(), 'fairlead-compile-cache'),
  }
}
