/**
 * Runs the jetton chain and its server in a thread of their own. Started by `jetton-node.ts` with a
 * {@link JettonWorkerTask}; what it has answered is on the disk, so it may be ended at any moment.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { fail, emit, emitFault, emitSeeded } from '../runtime/worker/emit.ts'
import { serveJettonApi } from './api/jetton-api-server.ts'
import { createJettonChain } from './chain/create-jetton-chain.ts'
import type { JettonChain } from './chain/jetton-chain.ts'
import type { JettonWorkerTask } from './worker-task.ts'
import { JournalUnreadable } from './journal/chain-journal.ts'

const { port, directory, secondsPerBlock }: JettonWorkerTask = workerData

// A chain is lost when the disk takes no more; what was answered is on it, and the next start goes on from there.
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
  // The port is the only thing that keeps the thread alive once chain and server have ended.
  parentPort?.once('message', () => void server.close().then(() => served.stop()))
  emit({ kind: 'ready', facts: served.example })
}
