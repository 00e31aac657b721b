import type {
  CommitmentLevel,
  CuckooFilter,
  TokenAccountExpansionControlFlag,
} from '../../generated/geyser.ts'

/**
 * What to subscribe to. Each kind has any number of filters with names of your choice; an update says which of them it
 * matched.
 *
 * Inside a filter different fields must all match, of one list any member. A filter without fields takes everything of
 * its kind. Addresses and signatures are base58.
 *
 * @see specs/grpc/geyser.proto, SubscribeRequest
 */
export interface GeyserFilters {
  readonly accounts?: Named<AccountFilter> | undefined
  readonly slots?: Named<SlotFilter> | undefined
  /** Whole transactions. */
  readonly transactions?: Named<TransactionFilter> | undefined
  /** Only whether transactions succeeded. */
  readonly transactionsStatus?: Named<TransactionFilter> | undefined
  readonly blocks?: Named<BlockFilter> | undefined
  /** Blocks without their content. */
  readonly blocksMeta?: Named<EmptyFilter> | undefined
  readonly entry?: Named<EmptyFilter> | undefined
  /** The level at which things are sent. PROCESSED, which may still be dropped, by default. */
  readonly commitment?: CommitmentLevel | undefined
  /** Parts of the account data to send instead of all of it, by rising offset and without overlap; in bytes. */
  readonly accountsDataSlice?: readonly DataSlice[] | undefined
}

/** Filters by a name of at most 128 bytes. */
export type Named<filter> = Readonly<Record<string, filter>>

/** A filter that has no fields. */
export type EmptyFilter = Readonly<Record<string, never>>

/** Which accounts. */
export interface AccountFilter {
  /** These accounts. */
  readonly account?: readonly string[] | undefined
  /** Accounts that belong to these programs. */
  readonly owner?: readonly string[] | undefined
  /** At most four conditions on the content, all of which must hold. */
  readonly filters?: readonly AccountCondition[] | undefined
  /** True for changes made by a transaction, false for all other ones. */
  readonly nonemptyTxnSignature?: boolean | undefined
  /** Many accounts in little space, in addition to `account`. */
  readonly cuckooAccountsFilter?: CuckooFilter | undefined
}

/** A condition on the content of an account. Sizes and offsets are in bytes. */
export type AccountCondition =
  | { readonly memcmp: Memcmp }
  | { readonly datasize: number | bigint }
  /** The account is a token account. */
  | { readonly tokenAccountState: true }
  | { readonly lamports: LamportsCondition }

/** At most 128 bytes that the data has from an offset on. */
export type Memcmp = { readonly offset: number | bigint } & (
  | { readonly bytes: Uint8Array }
  | { readonly base58: string }
  | { readonly base64: string }
)

/** How the balance compares to a number of lamports. */
export type LamportsCondition =
  | { readonly eq: bigint }
  | { readonly ne: bigint }
  | { readonly lt: bigint }
  | { readonly gt: bigint }

/** Which slot changes. */
export interface SlotFilter {
  /** Only the status of the subscription's own level. */
  readonly filterByCommitment?: boolean | undefined
  /** The steps between the levels, too. */
  readonly interslotUpdates?: boolean | undefined
}

/** Which transactions. */
export interface TransactionFilter {
  /** Only votes, or only others. */
  readonly vote?: boolean | undefined
  /** Only failed ones, or only others. */
  readonly failed?: boolean | undefined
  /** The one with this signature. */
  readonly signature?: string | undefined
  /** Accounts of which any takes part. */
  readonly accountInclude?: readonly string[] | undefined
  /** Accounts of which none takes part. */
  readonly accountExclude?: readonly string[] | undefined
  /** Accounts which all take part. */
  readonly accountRequired?: readonly string[] | undefined
  /** Many accounts in little space, in addition to `accountInclude`. */
  readonly cuckooAccountInclude?: CuckooFilter | undefined
  /** Lets the owners of token balances count in the three lists. */
  readonly tokenAccounts?: TokenAccountExpansionControlFlag | undefined
}

/** Which content of blocks; every block itself is sent. */
export interface BlockFilter {
  /** Only transactions and accounts that these accounts take part in. */
  readonly accountInclude?: readonly string[] | undefined
  /** True by default. */
  readonly includeTransactions?: boolean | undefined
  /** False by default. */
  readonly includeAccounts?: boolean | undefined
  /** False by default. */
  readonly includeEntries?: boolean | undefined
  /** Many accounts in little space, in addition to `accountInclude`. */
  readonly cuckooAccountInclude?: CuckooFilter | undefined
}

/** A part of the data of each account, in bytes. An account that ends before its end does not send it. */
export interface DataSlice {
  readonly offset: number | bigint
  readonly length: number | bigint
}
