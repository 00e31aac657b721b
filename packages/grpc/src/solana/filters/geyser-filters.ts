import type {
  CommitmentLevel,
  CuckooFilter,
  TokenAccountExpansionControlFlag,
} from '../../generated/geyser.ts'

/**
 * The filters of a subscription. Each kind has any number of filters with names of your choice; an update lists the
 * names of those it matched.
 *
 * Inside a filter all fields must match; a list matches if any of its members does. A filter without fields matches
 * everything of its kind. Addresses and signatures are base58.
 *
 * @see specs/grpc/geyser.proto, SubscribeRequest
 */
export interface GeyserFilters {
  readonly accounts?: Named<AccountFilter> | undefined
  readonly slots?: Named<SlotFilter> | undefined
  /** Full transactions. */
  readonly transactions?: Named<TransactionFilter> | undefined
  /** Only the status of transactions. */
  readonly transactionsStatus?: Named<TransactionFilter> | undefined
  readonly blocks?: Named<BlockFilter> | undefined
  /** Blocks without their content. */
  readonly blocksMeta?: Named<EmptyFilter> | undefined
  readonly entry?: Named<EmptyFilter> | undefined
  /** The commitment level of the updates. Default PROCESSED, which may still be dropped. */
  readonly commitment?: CommitmentLevel | undefined
  /** Slices of the account data to send instead of all of it, by increasing offset and without overlap; in bytes. */
  readonly accountsDataSlice?: readonly DataSlice[] | undefined
}

/** Filters by a name of at most 128 bytes. */
export type Named<filter> = Readonly<Record<string, filter>>

/** A filter that has no fields. */
export type EmptyFilter = Readonly<Record<string, never>>

/** Selects accounts. */
export interface AccountFilter {
  /** These accounts. */
  readonly account?: readonly string[] | undefined
  /** Accounts owned by these programs. */
  readonly owner?: readonly string[] | undefined
  /** At most four conditions on the content, all of which must match. */
  readonly filters?: readonly AccountCondition[] | undefined
  /** True for changes made by a transaction, false for all others. */
  readonly nonemptyTxnSignature?: boolean | undefined
  /** A compact filter for many accounts, in addition to `account`. */
  readonly cuckooAccountsFilter?: CuckooFilter | undefined
}

/** A condition on the content of an account. Sizes and offsets are in bytes. */
export type AccountCondition =
  | { readonly memcmp: Memcmp }
  | { readonly datasize: number | bigint }
  /** The account is a token account. */
  | { readonly tokenAccountState: true }
  | { readonly lamports: LamportsCondition }

/** Compares at most 128 bytes of the data from an offset on. */
export type Memcmp = { readonly offset: number | bigint } & (
  | { readonly bytes: Uint8Array }
  | { readonly base58: string }
  | { readonly base64: string }
)

/** Compares the balance to a number of lamports. */
export type LamportsCondition =
  | { readonly eq: bigint }
  | { readonly ne: bigint }
  | { readonly lt: bigint }
  | { readonly gt: bigint }

/** Selects slot changes. */
export interface SlotFilter {
  /** Only the status of the subscription's own commitment level. */
  readonly filterByCommitment?: boolean | undefined
  /** Also the steps between the levels. */
  readonly interslotUpdates?: boolean | undefined
}

/** Selects transactions. */
export interface TransactionFilter {
  /** True for votes only, false for other transactions only. */
  readonly vote?: boolean | undefined
  /** True for failed transactions only, false for others only. */
  readonly failed?: boolean | undefined
  /** The transaction with this signature. */
  readonly signature?: string | undefined
  /** Any of these accounts takes part. */
  readonly accountInclude?: readonly string[] | undefined
  /** None of these accounts takes part. */
  readonly accountExclude?: readonly string[] | undefined
  /** All of these accounts take part. */
  readonly accountRequired?: readonly string[] | undefined
  /** A compact filter for many accounts, in addition to `accountInclude`. */
  readonly cuckooAccountInclude?: CuckooFilter | undefined
  /** Includes the owners of token balances in the three lists. */
  readonly tokenAccounts?: TokenAccountExpansionControlFlag | undefined
}

/** Selects the content of blocks; every block itself is sent. */
export interface BlockFilter {
  /** Only transactions and accounts in which these accounts take part. */
  readonly accountInclude?: readonly string[] | undefined
  /** True by default. */
  readonly includeTransactions?: boolean | undefined
  /** False by default. */
  readonly includeAccounts?: boolean | undefined
  /** False by default. */
  readonly includeEntries?: boolean | undefined
  /** A compact filter for many accounts, in addition to `accountInclude`. */
  readonly cuckooAccountInclude?: CuckooFilter | undefined
}

/**
 * A slice of the data of each account, in bytes. It is not sent for an account that ends before the end of the slice.
 */
export interface DataSlice {
  readonly offset: number | bigint
  readonly length: number | bigint
}
