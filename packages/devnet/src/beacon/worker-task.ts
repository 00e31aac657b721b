/** The task of the beacon worker. */
export interface BeaconWorkerTask {
  /** Port on 127.0.0.1. */
  port: number
  secondsPerSlot: number
  /** Whether the chain branches on its schedule. */
  branching: boolean
  /** Version of this package. */
  version: string
}
