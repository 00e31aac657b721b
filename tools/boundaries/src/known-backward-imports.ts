/** Imports against the direction that are still to be taken out; the list may only become shorter. */
export const knownBackwardImports: readonly string[] = [
  'core: access/forward/pool/choose-member.ts -> access/forward/pool/call-needs.ts',
  'core: access/forward/pool/pool-member.ts -> access/forward/pool/chain-view.ts',
  'core: access/forward/pool/pool-member.ts -> access/forward/upstream.ts',
]
