/**
 * Runs the beacon chain and its server in a thread of their own. Started by `beacon-node.ts` with a
 * {@link BeaconWorkerTask}; it keeps nothing, so it may be ended at any moment.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { emit, emitFault } from '../runtime/worker/emit.ts'
import { serveBeaconApi } from './api/beacon-api-server.ts'
import type { BeaconWorkerTask } from './worker-task.ts'
import { createBeaconChain } from './chain/create-beacon-chain.ts'

const { port, secondsPerSlot, branching, version }: BeaconWorkerTask = workerData

const chain = await createBeaconChain({ secondsPerSlot, branching, onFault: emitFault })
const server = await serveBeaconApi({ chain, port, version, onFault: emitFault })
// The port is the only thing that keeps the thread alive once chain and server have ended.
parentPort?.once('message', () => {
  chain.stop()
  void server.close()
})
emit({ kind: 'ready', facts: undefined })

if ((await chain.start()) === 'lost') {
  // A computer slept, or its clock was set.
  emit({
    kind: 'renew',
    message: 'The clock is more than an hour away from the beacon chain. Starting a new chain.',
  })
  parentPort?.close()
  await server.close()
}
