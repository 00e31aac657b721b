import type { Address, Cell, Message, ShardAccount, Transaction, TupleItem } from '@ton/core'

/** Names a block; a chain of one shard has `8000000000000000` everywhere. */
export interface BlockId {
  readonly workchain: number
  readonly seqno: number
}

/** A block of the masterchain or of the one shard of the base chain. */
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
  /** Oldest first; those that were pruned are gone. */
  readonly transactions: readonly ChainTransaction[]
}

/** What an account holds at one moment, without its code and data. */
export interface AccountSummary {
  /** Hash of the account state, 32 bytes. */
  readonly hash: Buffer
  readonly balance: bigint
  readonly status: 'nonexist' | 'uninit' | 'active' | 'frozen'
  readonly codeHash: Buffer | undefined
  readonly dataHash: Buffer | undefined
  readonly frozenHash: Buffer | undefined
}

/** A transaction in its compact form: parsed when somebody looks inside. */
export interface ChainTransaction {
  /** Raw form as `Address.toRawString` writes it, in lower case. */
  readonly account: string
  readonly lt: bigint
  /** 32 bytes. */
  readonly hash: Buffer
  /** Unix seconds. */
  readonly now: number
  /** Block that holds it. */
  readonly block: BlockId
  readonly masterSeqno: number
  readonly before: AccountSummary
  readonly after: AccountSummary
  /** All transactions that one message from outside led to. */
  readonly trace: Trace
  /** Transaction whose message caused this one; undefined for the first of a trace. */
  readonly parent: ChainTransaction | undefined
  readonly children: readonly ChainTransaction[]
  /** The transaction as a bag of cells. */
  readonly boc: Buffer
  /** Reads {@link boc}; the same object may come again, so nobody may change it. */
  parse(): Transaction
}

/** What one message from outside led to. */
export interface Trace {
  /** Hash of its first transaction. */
  readonly id: Buffer
  /** Hash of the message that started it. */
  readonly externalHash: Buffer
  /** Normalized hash of that message (TEP-467). */
  readonly externalHashNorm: Buffer
  /** In the order in which they were carried out. */
  readonly transactions: readonly ChainTransaction[]
}

/** Name, symbol and the like of a jetton (TEP-64). */
export type JettonContent = Readonly<Record<string, string>>

/** A jetton master contract that the index knows. */
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

/** A jetton wallet that the index knows: its master names it as the wallet of its owner. */
export interface IndexedJettonWallet {
  readonly address: string
  readonly balance: bigint
  readonly owner: string
  readonly master: string
  readonly codeHash: Buffer
  readonly dataHash: Buffer
  readonly lastLt: bigint
}

/** A transfer between two wallets of a jetton (TEP-74), or the attempt of one. */
export interface IndexedJettonTransfer {
  /** The transaction of the sending jetton wallet. */
  readonly transaction: ChainTransaction
  /** Whether the wallet refused it: no jettons went anywhere. */
  readonly aborted: boolean
  readonly queryId: bigint
  /** Who asked for it: the owner, unless the wallet obeys somebody else or refused. */
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

/** A burn (TEP-74) whose master accepted the notification of its own wallet, or the attempt of one. */
export interface IndexedJettonBurn {
  /** The transaction of the jetton wallet. */
  readonly transaction: ChainTransaction
  /** Whether the wallet refused it: the supply is what it was. */
  readonly aborted: boolean
  readonly queryId: bigint
  /** Who asked for it: the owner, unless the wallet obeys somebody else or refused. */
  readonly owner: string
  readonly wallet: string
  readonly master: string
  readonly amount: bigint
  readonly responseDestination: string | undefined
  readonly customPayload: Cell | undefined
}

/** A mint of a jetton: the message of a master that gave its wallet new jettons. */
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
 * What the chain knows of the jettons on it; every list is oldest first. Rows go with their transactions when these are
 * not kept any more, masters and wallets stay.
 */
export interface JettonIndex {
  readonly masters: ReadonlyMap<string, IndexedJettonMaster>
  readonly wallets: ReadonlyMap<string, IndexedJettonWallet>
  readonly transfers: readonly IndexedJettonTransfer[]
  readonly burns: readonly IndexedJettonBurn[]
  readonly mints: readonly IndexedJettonMint[]
}

/** How a get method ended. */
export interface GetMethodOutcome {
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly stack: readonly TupleItem[]
}

/** A message from outside that the chain carried out. */
export interface SentMessage {
  readonly hash: Buffer
  readonly hashNorm: Buffer
  readonly trace: Trace
}

/** Refusal of a message from outside; the chain is as it was. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused'
  /** Exit code of the contract, when it was the contract that refused. */
  readonly exitCode: number | undefined

  constructor(message: string, exitCode?: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/** An embedded jetton chain: accounts, blocks that stand for the ones of a network, and an index over both. */
export interface JettonChain {
  /** Newest block of the masterchain. */
  readonly head: Block
  /** Oldest block of the masterchain that is kept; between it and {@link head} others may be gone. */
  readonly oldest: Block
  /** First block of all, kept for ever. */
  readonly genesis: Block
  /** The configuration as the dictionary that a key block holds. */
  readonly config: Cell
  readonly globalId: number
  readonly index: JettonIndex
  /** All transactions that are kept, oldest first: their logical time grows. */
  readonly transactions: readonly ChainTransaction[]
  block(id: BlockId): Block | undefined
  /** All blocks of a workchain that are kept, oldest first. */
  blocks(workchain: number): readonly Block[]
  /** Finds a transaction by its hash of 32 bytes. */
  transaction(hash: Buffer): ChainTransaction | undefined
  /** Transactions of an account that are kept, oldest first. */
  transactionsOf(account: Address): readonly ChainTransaction[]
  /** Finds the transaction that took a message in, by the hash of the message or its normalized hash. */
  transactionByMessage(hash: Buffer): ChainTransaction | undefined
  trace(id: Buffer): Trace | undefined
  /** Every account that has a state, in raw form. */
  accounts(): Iterable<string>
  /** The state of an account now; that of a missing one is empty. */
  account(address: Address): Promise<ShardAccount>
  summary(address: Address): Promise<AccountSummary>
  runGetMethod(
    address: Address,
    method: string | number,
    stack: readonly TupleItem[],
  ): Promise<GetMethodOutcome>
  /**
   * Carries out a message from outside, and everything that follows from it, in a new block. What it resolves with
   * survives the end of the process.
   *
   * @param message the cell keeps its hash; a message is written anew, which may lead to another one
   * @throws {@link MessageRefused}
   */
  send(message: Message | Cell): Promise<SentMessage>
  /**
   * Carries out a message without keeping anything of it.
   *
   * @throws {@link MessageRefused}
   */
  emulate(
    message: Message | Cell,
    options?: { readonly ignoreSignature?: boolean },
  ): Promise<readonly Transaction[]>
  /**
   * Gives coins to an account, in a block of its own.
   *
   * @param amount in nanocoins
   */
  fund(address: Address, amount: bigint): Promise<Trace>
  /** Where the sample data stands. */
  readonly example: JettonExample
  /** Writes what is not written yet, and ends the making of blocks. */
  stop(): Promise<void>
}

/** Where the sample data of a development chain stands; addresses are friendly and bounceable. */
export interface JettonExample {
  /** Sample jetton, a master contract. */
  readonly jetton_master: string
  /** Wallet (v4 r2) that holds coins and jettons. */
  readonly wallet: string
  /** Secret seed of that wallet in hex, 32 bytes; it is public, and worth nothing anywhere else. */
  readonly wallet_seed: string
  /** Jetton wallet of that wallet. */
  readonly jetton_wallet: string
  /** Transaction of a burn with a comment, as base64. */
  readonly burn_hash: string
}
