/**
 * A worker that starts within milliseconds, for the tests of what all workers have in common. It answers its thread's
 * number on `/`, and does on `/crash`, `/fault` and `/renew` what workers do now and then.
 */
import { createServer } from 'node:http'
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { emit } from '../src/runtime/worker/emit.ts'

/** What the worker has to run. */
export interface PlainTask {
  readonly port: number
  /** A new chain with sample data; one that cannot be read; one without an engine; one that never answers; one that does not hear the stop. */
  readonly behaviour: 'plain' | 'new' | 'unreadable' | 'unavailable' | 'silent' | 'deaf'
}

const { port, behaviour }: PlainTask = workerData

const server = createServer(({ url }, response) => {
  // A connection that is kept would keep the worker.
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
if (behaviour !== 'silent') server.listen(port, '127.0.0.1', () => emit({ kind: 'ready', facts: threadId }))

function end(): void {
  parentPort?.close()
  server.close()
}
