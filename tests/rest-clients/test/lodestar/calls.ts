import { beaconCalls } from './beacon-calls.ts'
import type { CallsOf, Namespace } from './call.ts'
import { validatorCalls } from './validator-calls.ts'

/** One call of each operation that the client has. */
export const calls: { readonly [name in Namespace]: CallsOf<name> } = {
  beacon: beaconCalls,
  config: {
    getDepositContract: ({ api }, init) => api.config.getDepositContract(init),
    getForkSchedule: ({ api }, init) => api.config.getForkSchedule(init),
    getSpec: ({ api }, init) => api.config.getSpec(init),
  },
  debug: {
    getDebugChainHeadsV2: ({ api }, init) => api.debug.getDebugChainHeadsV2(init),
    getDebugForkChoice: ({ api }, init) => api.debug.getDebugForkChoice(init),
    getDebugForkChoiceV2: ({ api }, init) => api.debug.getDebugForkChoiceV2(init),
    getProtoArrayNodes: ({ api }, init) => api.debug.getProtoArrayNodes(init),
    getStateV2: ({ api }, init) => api.debug.getStateV2({ stateId: 'head' }, init),
    getDebugDataColumnSidecars: ({ api }, init) =>
      api.debug.getDebugDataColumnSidecars({ blockId: 'head' }, init),
  },
  lightclient: {
    getLightClientUpdatesByRange: ({ api }, init) =>
      api.lightclient.getLightClientUpdatesByRange({ startPeriod: 0, count: 1 }, init),
    getLightClientOptimisticUpdate: ({ api }, init) => api.lightclient.getLightClientOptimisticUpdate(init),
    getLightClientFinalityUpdate: ({ api }, init) => api.lightclient.getLightClientFinalityUpdate(init),
    getLightClientBootstrap: ({ api, finalizedRoot }, init) =>
      api.lightclient.getLightClientBootstrap({ blockRoot: finalizedRoot }, init),
    getLightClientCommitteeRoot: ({ api }, init) =>
      api.lightclient.getLightClientCommitteeRoot({ startPeriod: 0, count: 1 }, init),
  },
  node: {
    getNetworkIdentity: ({ api }, init) => api.node.getNetworkIdentity(init),
    getPeers: ({ api }, init) => api.node.getPeers({}, init),
    getPeer: ({ api }, init) =>
      api.node.getPeer({ peerId: '16Uiu2HAm7ukVy4XugqVShYbLih4H2jBJjYevevznBZaHsmd1FM96' }, init),
    getPeerCount: ({ api }, init) => api.node.getPeerCount(init),
    getNodeVersion: ({ api }, init) => api.node.getNodeVersion(init),
    getNodeVersionV2: ({ api }, init) => api.node.getNodeVersionV2(init),
    getSyncingStatus: ({ api }, init) => api.node.getSyncingStatus(init),
    getHealth: ({ api }, init) => api.node.getHealth({}, init),
  },
  validator: validatorCalls,
}
