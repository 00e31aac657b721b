export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export { type BeaconClient, type BeaconClientOptions, createBeaconClient } from './client.ts'
export type * from './generated/index.ts'
