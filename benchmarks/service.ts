// The embedded node, and the service in front of it as a process of its own.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@fairlead/devnet'

/** A running service and the node behind it. */
export interface Service {
  /** Address of the node itself. */
  readonly node: string
  /** Address of the service, without credentials. */
  readonly url: string
  readonly token: string
  readonly processId: number
  stop(): Promise<void>
}

/** Starts the embedded node and `fairlead serve` in front of it, over a fresh database. */
export async function startService(environment: Readonly<Record<string, string>> = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-benchmark-'))
  const devnet = await startDevnet({ dataDirectory: join(folder, 'chains') })
  const node = devnet.chains[0]?.url ?? ''
  const bin = new URL('../packages/gateway/src/bin.ts', import.meta.url).pathname
  const service = spawn(process.execPath, ['--conditions=@fairlead/source', bin, 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      FAIRLEAD_PORT: '0',
      FAIRLEAD_LOG_LEVEL: 'warn',
      FAIRLEAD_EVM_UPSTREAM: node,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: node.replace('http', 'ws'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const [, url = '', token = ''] = await new Promise<RegExpExecArray>((ready) => {
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const printed = /running at (\S+)[\s\S]*token +(\S+)\n/.exec(output)
      if (printed) ready(printed)
    })
  })
  return {
    node,
    url,
    token,
    processId: service.pid ?? 0,
    stop: async () => {
      const ended = new Promise((resolve) => service.once('exit', resolve))
      service.kill('SIGTERM')
      await ended
      await devnet.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
