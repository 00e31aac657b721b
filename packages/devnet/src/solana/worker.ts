/**
 * Runs the Solana chain and its server in a worker thread. Started by `start.ts` with a {@link SolanaWorkerTask}; every
 * reported change is in its journal, so the worker may be terminated at any time.
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

// A failed write stops the chain; every reported change is in the journal, and the next start resumes from there.
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
  // After chain and server have ended, only the message port keeps the thread alive.
  parentPort?.once('message', () => void server.close().then(() => served.stop()))
  emit({ kind: 'ready', data: served.example })
}
