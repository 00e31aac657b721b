/**
 * Runs the jetton chain and its server in a worker thread. Started by `start.ts` with a {@link JettonWorkerTask}; every
 * change is on disk before its response is sent, so the worker may be terminated at any time.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { fail, emit, emitFault, emitSeeded } from '../runtime/worker/emit.ts'
import { serveJettonApi } from './api/jetton-api-server.ts'
import { createJettonChain } from './chain/create-jetton-chain.ts'
import type { JettonChain } from './chain/jetton-chain.ts'
import type { JettonWorkerTask } from './worker-task.ts'
import { JournalUnreadable } from './journal/chain-journal.ts'

const { port, directory, secondsPerBlock }: JettonWorkerTask = workerData

// A failed write stops the chain; every change with a response is on disk, and the next start resumes from there.
const chain = await createJettonChain({
  directory,
  secondsPerBlock,
  onLost: fail,
  onSeeded: emitSeeded,
}).catch((error: unknown) => {
  if (error instanceof JournalUnreadable) emit({ kind: 'unreadable', message: error.message })
  throw error
})
await serve(chain)

async function serve(served: JettonChain): Promise<void> {
  const server = await serveJettonApi({ chain: served, port, onFault: emitFault })
  // After chain and server have ended, only the message port keeps the thread alive.
  parentPort?.once('message', () => void server.close().then(() => served.stop()))
  emit({ kind: 'ready', data: served.example })
}
