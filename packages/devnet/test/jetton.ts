import { toNano, type Address, type Cell, type Transaction } from '@ton/core'
import type { ChainTransaction, JettonChain, Trace } from '../src/jetton/chain/jetton-chain.ts'
import { WalletV4, type WalletTransfer } from '../src/jetton/chain/wallet-v4.ts'

/** Coins that pay for any message of the tests. */
export const defaultValue = toNano('0.2')

/** A wallet of a chain that counts its sent messages. */
export class ChainWallet {
  readonly wallet: WalletV4
  readonly address: Address
  readonly #chain: JettonChain
  #seqno: number

  private constructor(chain: JettonChain, wallet: WalletV4, seqno: number) {
    this.#chain = chain
    this.wallet = wallet
    this.address = wallet.address
    this.#seqno = seqno
  }

  /** The wallet of the sample data. */
  static async ofExample(chain: JettonChain): Promise<ChainWallet> {
    const wallet = new WalletV4(Buffer.from(chain.example.wallet_seed, 'hex'))
    const { stack } = await chain.runGetMethod(wallet.address, 'seqno', [])
    const [seqno] = stack
    if (seqno?.type !== 'int') throw new Error('the wallet returns no seqno')
    return new ChainWallet(chain, wallet, Number(seqno.value))
  }

  /** A new wallet with coins. */
  static async create(chain: JettonChain, name: string): Promise<ChainWallet> {
    const wallet = new WalletV4(Buffer.from(name.padEnd(32)))
    await chain.fund(wallet.address, toNano(100))
    return new ChainWallet(chain, wallet, 0)
  }

  /** Signs an external message; each call counts as sent. */
  sign(transfer: WalletTransfer): ReturnType<WalletV4['transfer']> {
    return this.wallet.transfer(this.#seqno++, Math.floor(Date.now() / 1_000) + 60, [transfer])
  }

  /** Sends a message to a contract, and returns the trace. */
  async send(
    to: Address,
    body: Cell,
    value = defaultValue,
    options: Partial<WalletTransfer> = {},
  ): Promise<Trace> {
    const { trace } = await this.#chain.send(this.sign({ to, body, value, ...options }))
    return trace
  }
}

/** The transaction of an account in a trace, the first one or the n-th. */
export function transactionOf(trace: Trace, account: Address, position = 0): ChainTransaction {
  const transaction = trace.transactions.filter((candidate) => candidate.account === account.toRawString())[
    position
  ]
  if (transaction === undefined) throw new Error(`the trace has no such transaction of ${account.toString()}`)
  return transaction
}

/** Exit code and gas of a transaction. */
export function outcomeOf(transaction: ChainTransaction): { exitCode: number; gasUsed: number } {
  const { description }: Transaction = transaction.parse()
  if (description.type !== 'generic' || description.computePhase.type !== 'vm') {
    throw new Error('the transaction ran no code')
  }
  const { exitCode, gasUsed } = description.computePhase
  return { exitCode, gasUsed: Number(gasUsed) }
}
