import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { reservePort } from './reserved-port.ts'

const startMs = 30_000

/** Whether this machine has the Redis server. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0

/** A Redis server without persistence. */
export interface Redis {
  readonly url: string
  /** Stops it immediately and discards its data. */
  kill(): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
}

/** Starts a server on a reserved port. */
export async function startRedis(): Promise<Redis> {
  const port = await reservePort()
  let server: ChildProcess | undefined
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    server = spawn('redis-server', args, { stdio: 'ignore' })
    const deadline = performance.now() + startMs
    while (!(await isListening(port))) {
      if (performance.now() > deadline) throw new Error('Redis does not listen.')
      await pause(20)
    }
  }
  const kill = async () => {
    if (server === undefined) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    server = undefined
    await ended
  }
  await start()
  return { url: `redis://127.0.0.1:${port}`, kill, start }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
