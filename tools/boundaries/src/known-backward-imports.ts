/** Imports against the direction that are still to be taken out; the list may only become shorter. */
export const knownBackwardImports: readonly string[] = [
  'core: access/forward/pool/choose-member.ts -> access/forward/pool/call-needs.ts',
  'core: access/forward/pool/pool-member.ts -> access/forward/pool/chain-view.ts',
  'core: access/forward/pool/pool-member.ts -> access/forward/upstream.ts',
  'platform: control/nodes/node-addresses.ts -> control/nodes/chain-methods.ts',
  'platform: control/nodes/upstream-texts.ts -> access/forward/grpc/grpc-address.ts',
  'platform: control/platform-api/operations/node-methods.ts -> control/nodes/chain-methods.ts',
]
