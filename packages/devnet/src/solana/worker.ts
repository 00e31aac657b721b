/**
 * Runs the Solana chain and its server in a thread of their own. Started by `solana-node.ts` with a
 * {@link SolanaWorkerTask}; what it has told is in its journal, so it may be ended at any moment.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { fail, emit, emitFault, emitSeeded } from '../runtime/worker/emit.ts'
import { serveSolanaApi } from './api/solana-api-server.ts'
import { createSolanaChain } from './chain/create-solana-chain.ts'
import { EngineUnavailable } from './chain/engine.ts'
import type { SolanaChain } from './chain/solana-chain.ts'
import { JournalUnreadable } from './journal/solana-journal.ts'
import type { SolanaWorkerTask } from './worker-task.ts'

const { port, ...task }: SolanaWorkerTask = workerData

// A chain is lost when the disk takes no more; what was told is in the journal, and the next start goes on from there.
const chain = await createSolanaChain({ ...task, onLost: fail, onSeeded: emitSeeded }).catch(
  (error: unknown) => {
    if (error instanceof JournalUnreadable) emit({ kind: 'unreadable', message: error.message })
    if (error instanceof EngineUnavailable) emit({ kind: 'unavailable', message: error.message })
    throw error
  },
)
await serve(chain)

async function serve(served: SolanaChain): Promise<void> {
  const server = await serveSolanaApi({ chain: served, port, onFault: emitFault })
  // The port is the only thing that keeps the thread alive once chain and server have ended.
  parentPort?.once('message', () => void server.close().then(() => served.stop()))
  emit({ kind: 'ready', facts: served.example })
}
