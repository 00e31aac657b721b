/**
 * A worker that starts within milliseconds, for the tests of the common behaviour of all workers. It returns its thread
 * id on `/`. On `/crash`, `/fault` and `/renew` it does what other workers do occasionally.
 */
import { createServer } from 'node:http'
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { emit } from '../src/runtime/worker/emit.ts'

/** The task of the worker. */
export interface PlainTask {
  readonly port: number
  /**
   * A normal chain; a new chain with sample data; one that cannot be read; one without an engine; one that never
   * responds; one that ignores the stop command.
   */
  readonly behaviour: 'plain' | 'new' | 'unreadable' | 'unavailable' | 'silent' | 'deaf'
}

const { port, behaviour }: PlainTask = workerData

const server = createServer(({ url }, response) => {
  // A keep-alive connection would keep the worker running.
  response.writeHead(200, { connection: 'close' }).end(`${threadId}`)
  if (url === '/crash') throw new Error('the worker crashed')
  if (url === '/fault') emit({ kind: 'fault', message: 'a small fault' })
  if (url !== '/renew') return
  emit({ kind: 'renew', message: 'Starting another one.' })
  end()
})

parentPort?.on('message', () => behaviour !== 'deaf' && end())
if (behaviour === 'unreadable' || behaviour === 'unavailable') {
  emit({ kind: behaviour, message: 'It cannot be had.' })
  throw new Error('there is nothing to run')
}
if (behaviour === 'new') emit({ kind: 'seeded', durationMs: 5 })
if (behaviour !== 'silent') server.listen(port, '127.0.0.1', () => emit({ kind: 'ready', data: threadId }))

function end(): void {
  parentPort?.close()
  server.close()
}
