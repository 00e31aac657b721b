export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export { type BeaconClient, type BeaconClientOptions, createBeaconClient } from './client.ts'
export { events, type EventsOptions, type GapEvent } from './events/events.ts'
export { type ForkChoiceClock, forkChoiceHead, forkChoiceHeads, isViable } from './fork-choice/head.ts'
export {
  ancestorAt,
  type ForkChoiceBlock,
  forkChoiceTree,
  type ForkChoiceTree,
  reorganization,
  type Reorganization,
} from './fork-choice/tree.ts'
export type * from './generated/index.ts'
export { failover } from './nodes/failover.ts'
export type { BeaconNodeOptions } from './nodes/node.ts'
export type { BeaconTransport } from './nodes/transport.ts'
export {
  getSsz,
  queryForSsz,
  type SszAnswer,
  type SszPath,
  type SszPostPath,
  streamSsz,
} from './ssz/get-ssz.ts'
export type { SszStream } from './ssz/get-ssz.ts'
export { type LightClientUpdateBytes, splitLightClientUpdates } from './ssz/light-client-updates.ts'
export { postSsz, type SszPost, type SszRequestPath } from './ssz/post-ssz.ts'
export { type ForkChoiceContext, streamForkChoice } from './streams/fork-choice.ts'
export type { ItemStream, StreamOptions } from './streams/items.ts'
export { type StateAnswer, type StateItem, type StateList, streamState } from './streams/state.ts'
export { type PathOfList, streamData } from './streams/stream-data.ts'
export { type BeaconClock, beaconClock, FAR_FUTURE_EPOCH } from './time.ts'
