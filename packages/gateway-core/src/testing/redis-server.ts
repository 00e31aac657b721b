import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, vi } from 'vitest'
import { reservePort } from '@fairlead/vitest/reserved-port'

/** Whether this machine has `redis-server`; tests that need it are skipped without it. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0

/** A Redis server of a test, on its own port. */
export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Kills it at once, as in a crash; its data is lost. */
  kill(): Promise<void>
  /** Pauses the process; `resume` continues it. */
  pause(): void
  resume(): void
  /** Starts it again on the same port. */
  start(): Promise<void>
}

/** Starts a Redis server without persistence. */
export async function startRedisServer(): Promise<RedisServer> {
  const port = await reservePort()
  let server: ChildProcess | undefined
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    server = spawn('redis-server', [...options, '--requirepass', 'c4n4ry'], { stdio: 'ignore' })
    await vi.waitFor(async () => expect(await isListening(port)).toBe(true), {
      timeout: 50_000,
      interval: 20,
    })
  }
  await start()
  return {
    url: `redis://:c4n4ry@127.0.0.1:${port}`,
    port,
    kill: async () => {
      if (server?.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
    },
    pause: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
    start,
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
