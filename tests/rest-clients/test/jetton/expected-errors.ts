/** How the embedded chain rejects an operation, and why. */
export interface ExpectedError {
  readonly status: number
  readonly error: RegExp
  /** The reason, in a few words. */
  readonly reason: string
}

const unsigned: ExpectedError = { status: 501, error: /no validators/, reason: 'there are no validators' }
const notIndexed: ExpectedError = {
  status: 501,
  error: /is not indexed/,
  reason: 'no such contracts are indexed',
}

/** Operations of family v2 that the embedded chain does not support, in any form of the call. */
export const v2ExpectedErrors: Readonly<Record<string, ExpectedError>> = {
  getMasterchainBlockSignatures: unsigned,
  getShardBlockProof: unsigned,
  dnsResolve: { status: 501, error: /domain names/, reason: 'there are no domain names' },
}

/** Operations of family v3 that the embedded chain does not support. */
export const v3ExpectedErrors: Readonly<Record<string, ExpectedError>> = {
  listDnsRecords: notIndexed,
  listVestingContracts: notIndexed,
  listNftCollections: notIndexed,
  listNftItems: notIndexed,
  listNftTransfers: notIndexed,
  listNftSales: notIndexed,
  listMultisigWallets: notIndexed,
  listMultisigOrders: notIndexed,
}
