/** How the embedded chain rejects an operation, and why. */
export interface Refusal {
  readonly status: number
  readonly error: RegExp
  /** The reason, in a few words. */
  readonly why: string
}

const unsigned: Refusal = { status: 501, error: /no validators/, why: 'there are no validators' }
const notIndexed: Refusal = { status: 501, error: /is not indexed/, why: 'no such contracts are indexed' }

/** Operations of family v2 that the embedded chain does not support, in any form of the call. */
export const v2Refusals: Readonly<Record<string, Refusal>> = {
  getMasterchainBlockSignatures: unsigned,
  getShardBlockProof: unsigned,
  dnsResolve: { status: 501, error: /domain names/, why: 'there are no domain names' },
}

/** Operations of family v3 that the embedded chain does not support. */
export const v3Refusals: Readonly<Record<string, Refusal>> = {
  listDnsRecords: notIndexed,
  listVestingContracts: notIndexed,
  listNftCollections: notIndexed,
  listNftItems: notIndexed,
  listNftTransfers: notIndexed,
  listNftSales: notIndexed,
  listMultisigWallets: notIndexed,
  listMultisigOrders: notIndexed,
}
