/**
 * Runs the beacon chain and its server in a worker thread. Started by `start.ts` with a {@link BeaconWorkerTask}; it
 * stores nothing on disk, so it may be terminated at any time.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { emit, emitFault } from '../runtime/worker/emit.ts'
import { serveBeaconApi } from './api/beacon-api-server.ts'
import type { BeaconWorkerTask } from './worker-task.ts'
import { createBeaconChain } from './chain/create-beacon-chain.ts'

const { port, secondsPerSlot, branching, version }: BeaconWorkerTask = workerData

const chain = await createBeaconChain({ secondsPerSlot, branching, onFault: emitFault })
const server = await serveBeaconApi({ chain, port, version, onFault: emitFault })
// After chain and server have ended, only the message port keeps the thread alive.
parentPort?.once('message', () => {
  chain.stop()
  void server.close()
})
emit({ kind: 'ready', data: undefined })

if ((await chain.start()) === 'lost') {
  // The computer slept, or its clock was set.
  emit({
    kind: 'renew',
    message: 'The clock differs from the beacon chain by more than an hour. Starting a new chain.',
  })
  parentPort?.close()
  await server.close()
}
