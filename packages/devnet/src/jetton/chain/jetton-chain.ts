import type { Address, Cell, Message, ShardAccount, Transaction, TupleItem } from '@ton/core'

/** The id of a block; on a chain with one shard, the shard is always `8000000000000000`. */
export interface BlockId {
  readonly workchain: number
  readonly seqno: number
}

/** A block of the masterchain or of the only shard of the basechain. */
export interface Block extends BlockId {
  /** 32 bytes. */
  readonly rootHash: Buffer
  /** 32 bytes. */
  readonly fileHash: Buffer
  /** Unix seconds. */
  readonly genUtime: number
  readonly startLt: bigint
  readonly endLt: bigint
  /** Masterchain block that refers to this block; its own number in the masterchain. */
  readonly masterSeqno: number
  readonly previous: readonly BlockId[]
  /** Oldest first, without pruned transactions. */
  readonly transactions: readonly ChainTransaction[]
}

/** The state of an account at one time, without its code and data. */
export interface AccountSummary {
  /** Hash of the account state, 32 bytes. */
  readonly hash: Buffer
  readonly balance: bigint
  readonly status: 'nonexist' | 'uninit' | 'active' | 'frozen'
  readonly codeHash: Buffer | undefined
  readonly dataHash: Buffer | undefined
  readonly frozenHash: Buffer | undefined
}

/** A transaction in its compact form, parsed on demand. */
export interface ChainTransaction {
  /** Raw form as `Address.toRawString` writes it, in lower case. */
  readonly account: string
  readonly lt: bigint
  /** 32 bytes. */
  readonly hash: Buffer
  /** Unix seconds. */
  readonly now: number
  /** Block that contains it. */
  readonly block: BlockId
  readonly masterSeqno: number
  readonly before: AccountSummary
  readonly after: AccountSummary
  /** All transactions that result from the same external message. */
  readonly trace: Trace
  /** Transaction whose message caused this one; undefined for the first of a trace. */
  readonly parent: ChainTransaction | undefined
  readonly children: readonly ChainTransaction[]
  /** The transaction as a bag of cells. */
  readonly boc: Buffer
  /** Parses {@link boc}; calls may return the same object, so callers must not change it. */
  parse(): Transaction
}

/** The result of one external message. */
export interface Trace {
  /** Hash of its first transaction. */
  readonly id: Buffer
  /** Hash of the message that started it. */
  readonly externalHash: Buffer
  /** Normalized hash of that message (TEP-467). */
  readonly externalHashNorm: Buffer
  /** In the order of execution. */
  readonly transactions: readonly ChainTransaction[]
}

/** Name, symbol and other metadata of a jetton (TEP-64). */
export type JettonContent = Readonly<Record<string, string>>

/** An indexed jetton master contract. */
export interface IndexedJettonMaster {
  readonly address: string
  readonly totalSupply: bigint
  readonly mintable: boolean
  readonly admin: string | undefined
  readonly content: JettonContent
  readonly walletCodeHash: Buffer
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  readonly lastLt: bigint
}

/** An indexed jetton wallet: its master names it as the wallet of its owner. */
export interface IndexedJettonWallet {
  readonly address: string
  readonly balance: bigint
  readonly owner: string
  readonly master: string
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  readonly lastLt: bigint
}

/** An attempted or completed transfer between two wallets of a jetton (TEP-74). */
export interface IndexedJettonTransfer {
  /** The transaction of the sending jetton wallet. */
  readonly transaction: ChainTransaction
  /** Whether the wallet rejected it: no jettons were transferred. */
  readonly aborted: boolean
  readonly queryId: bigint
  /** The account that requested it: the owner, unless the wallet accepts another account or rejected the request. */
  readonly source: string
  readonly destination: string
  readonly amount: bigint
  readonly sourceWallet: string
  readonly master: string
  readonly responseDestination: string | undefined
  readonly customPayload: Cell | undefined
  readonly forwardAmount: bigint
  readonly forwardPayload: Cell | undefined
}

/** An attempted or completed burn (TEP-74); if completed, the master accepted the notification of its wallet. */
export interface IndexedJettonBurn {
  /** The transaction of the jetton wallet. */
  readonly transaction: ChainTransaction
  /** Whether the wallet rejected it: the supply is unchanged. */
  readonly aborted: boolean
  readonly queryId: bigint
  /** The account that requested it: the owner, unless the wallet accepts another account or rejected the request. */
  readonly owner: string
  readonly wallet: string
  readonly master: string
  readonly amount: bigint
  readonly responseDestination: string | undefined
  readonly customPayload: Cell | undefined
}

/** A mint of a jetton: the message by which a master sent new jettons to its wallet. */
export interface IndexedJettonMint {
  /** The transaction of the receiving jetton wallet. */
  readonly transaction: ChainTransaction
  readonly queryId: bigint
  readonly receiver: string
  readonly wallet: string
  readonly master: string
  readonly amount: bigint
}

/**
 * The index of the jettons on the chain; every list is oldest first. Rows are removed with their transactions, masters
 * and wallets remain.
 */
export interface JettonIndex {
  readonly masters: ReadonlyMap<string, IndexedJettonMaster>
  readonly wallets: ReadonlyMap<string, IndexedJettonWallet>
  readonly transfers: readonly IndexedJettonTransfer[]
  readonly burns: readonly IndexedJettonBurn[]
  readonly mints: readonly IndexedJettonMint[]
}

/** The result of a get method. */
export interface GetMethodOutcome {
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly stack: readonly TupleItem[]
}

/** An executed external message. */
export interface SentMessage {
  readonly hash: Buffer
  readonly hashNorm: Buffer
  readonly trace: Trace
}

/** The rejection of an external message; the chain is unchanged. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused'
  /** Exit code of the contract, if the contract rejected the message. */
  readonly exitCode: number | undefined

  constructor(message: string, exitCode?: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** An embedded jetton chain: accounts, blocks that stand in for those of a network, and an index over both. */
export interface JettonChain {
  /** Latest masterchain block. */
  readonly head: Block
  /** Oldest stored masterchain block; blocks between it and {@link head} may have been removed. */
  readonly oldest: Block
  /** First block of the chain, stored permanently. */
  readonly genesis: Block
  /** The configuration, as the dictionary in a key block. */
  readonly config: Cell
  readonly globalId: number
  readonly index: JettonIndex
  /** All stored transactions, oldest first: their logical times increase. */
  readonly transactions: readonly ChainTransaction[]
  block(id: BlockId): Block | undefined
  /** Returns all stored blocks of a workchain, oldest first. */
  blocks(workchain: number): readonly Block[]
  /** Finds a transaction by its hash of 32 bytes. */
  transaction(hash: Buffer): ChainTransaction | undefined
  /** Returns the stored transactions of an account, oldest first. */
  transactionsOf(account: Address): readonly ChainTransaction[]
  /** Finds the transaction that received a message, by the hash of the message or its normalized hash. */
  transactionByMessage(hash: Buffer): ChainTransaction | undefined
  trace(id: Buffer): Trace | undefined
  /** Every account that has a state, in raw form. */
  accounts(): Iterable<string>
  /** Returns the current state of an account; that of a missing account is empty. */
  account(address: Address): Promise<ShardAccount>
  summary(address: Address): Promise<AccountSummary>
  runGetMethod(
    address: Address,
    method: string | number,
    stack: readonly TupleItem[],
  ): Promise<GetMethodOutcome>
  /**
   * Executes an external message, and all resulting messages, in a new block. The result survives the end of the
   * process.
   *
   * @param message a cell keeps its hash; a message object is serialized again, which may result in another hash
   * @throws {@link MessageRefused}
   */
  send(message: Message | Cell): Promise<SentMessage>
  /**
   * Executes a message without storing the result.
   *
   * @throws {@link MessageRefused}
   */
  emulate(
    message: Message | Cell,
    options?: { readonly ignoreSignature?: boolean },
  ): Promise<readonly Transaction[]>
  /**
   * Sends coins to an account, in a separate block.
   *
   * @param amount in nanocoins
   */
  fund(address: Address, amount: bigint): Promise<Trace>
  /** Hashes and addresses of the sample data. */
  readonly example: JettonExample
  /** Writes all pending data, and stops the production of blocks. */
  stop(): Promise<void>
}

/** Hashes and addresses of the sample data of a development chain; addresses are friendly and bounceable. */
export interface JettonExample {
  /** Sample jetton, a master contract. */
  readonly jetton_master: string
  /** Wallet (v4 r2) that holds coins and jettons. */
  readonly wallet: string
  /** Secret seed of that wallet in hex, 32 bytes; it is public and has no value on any other network. */
  readonly wallet_seed: string
  /** Jetton wallet of that wallet. */
  readonly jetton_wallet: string
  /** Transaction of a burn with a comment, as base64. */
  readonly burn_hash: string
}
