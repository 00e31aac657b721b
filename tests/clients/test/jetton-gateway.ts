import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { type JettonExample, startDevnet } from '@fairlead/devnet'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const program = resolve(import.meta.dirname, '../../../packages/gateway/src/bin.ts')

/** An embedded chain that a test can also reach directly, bypassing the gateway. */
export interface JettonChain {
  readonly url: string
  readonly example: JettonExample
  /** Starts the gateway in front of the chain, as its operators run it. Resolves with the credentials of the node. */
  serve(): Promise<JettonAccess>
  /** Stops the gateway and the chain. */
  stop(): Promise<void>
}

/** URL and credential of the gateway. */
export interface JettonAccess {
  readonly url: string
  readonly auth: { readonly kind: 'token'; readonly token: string }
}

export async function startJettonChain(): Promise<JettonChain> {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-jetton-client-'))
  const devnet = await startDevnet({ dataDirectory: directory, chains: ['jetton'] })
  const [{ url: chainUrl, example }] = devnet.chains
  let gateway: ChildProcess | undefined
  return {
    url: chainUrl,
    example,
    async serve() {
      await copyEmptyDatabase(join(directory, '.fairlead'))
      // The optimizing WebAssembly compiler does not pay off, because the database is short-lived.
      const flags = ['--liftoff-only', '--conditions=@fairlead/source']
      gateway = spawn(process.execPath, [...flags, program, 'serve'], {
        cwd: directory,
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          FAIRLEAD_PORT: '0',
          FAIRLEAD_JETTON_UPSTREAM: chainUrl,
          FAIRLEAD_LOG_LEVEL: 'error',
          FAIRLEAD_PROBE_NODES: 'false',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [url, token] = await announced(gateway, /running at (\S+)[^]* token +(\S+)/)
      return { url, auth: { kind: 'token', token } }
    },
    async stop() {
      if (gateway?.kill('SIGTERM')) await once(gateway, 'exit')
      await devnet.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Waits until a process has printed a line that matches the pattern. */
function announced(process: ChildProcess, pattern: RegExp): Promise<[string, string]> {
  let output = ''
  return new Promise((onFound, reject) => {
    process.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, first, second] = pattern.exec(output) ?? []
      if (first !== undefined && second !== undefined) onFound([first, second])
    })
    process.once('exit', () => reject(new Error(`the gateway exited before it was ready: ${output}`)))
  })
}
