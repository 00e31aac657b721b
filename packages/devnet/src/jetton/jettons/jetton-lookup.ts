import { Address } from '@ton/core'
import type { AccountState } from '../chain/account-state.ts'
import type {
  ChainTransaction,
  IndexedJettonMaster,
  IndexedJettonWallet,
  JettonIndex,
} from '../chain/jetton-chain.ts'
import type { ContractReader } from './contract-reader.ts'
import { readJettonContent } from './jetton-content.ts'

/** Returns the state of an account by its raw address. */
export type StateOf = (account: string) => AccountState

type Known = Pick<JettonIndex, 'masters' | 'wallets'>

/** Determines during one step which accounts are jetton masters and jetton wallets, and their data after the step. */
export class JettonLookup {
  readonly #reader: ContractReader
  readonly #known: Known
  readonly #stateOf: StateOf
  readonly #now: number
  readonly #masters = new Map<string, IndexedJettonMaster | undefined>()
  readonly #wallets = new Map<string, IndexedJettonWallet | undefined>()

  /** @param now Time of the step in Unix seconds. */
  constructor(reader: ContractReader, known: Known, stateOf: StateOf, now: number) {
    this.#reader = reader
    this.#known = known
    this.#stateOf = stateOf
    this.#now = now
  }

  /** Returns the masters and wallets that the index does not contain yet or that changed. */
  changes(): { masters: IndexedJettonMaster[]; wallets: IndexedJettonWallet[] } {
    const { masters, wallets } = this.#known
    const found = <entry>(entries: Map<string, entry | undefined>) =>
      [...entries.values()].filter((entry) => entry !== undefined)
    return {
      masters: found(this.#masters).filter((master) => masters.get(master.address) !== master),
      wallets: found(this.#wallets).filter((wallet) => wallets.get(wallet.address) !== wallet),
    }
  }

  /** Reads an account again that a transaction changed or deployed. */
  async refresh({ account, before, after }: ChainTransaction): Promise<void> {
    const { masters, wallets } = this.#known
    const isNew = before.status !== 'active' && after.status === 'active'
    if (isNew || masters.has(account)) await this.master(account)
    if (wallets.has(account)) await this.wallet(account)
  }

  /** Returns the jetton of a master account; undefined for any other account. */
  async master(account: string): Promise<IndexedJettonMaster | undefined> {
    if (!this.#masters.has(account)) this.#masters.set(account, await this.#readMaster(account))
    return this.#masters.get(account)
  }

  /** Returns the jetton wallet of an account; its master has to confirm it. */
  async wallet(account: string): Promise<IndexedJettonWallet | undefined> {
    if (!this.#wallets.has(account)) this.#wallets.set(account, await this.#readWallet(account))
    return this.#wallets.get(account)
  }

  async #readMaster(account: string): Promise<IndexedJettonMaster | undefined> {
    const state = this.#stateOf(account)
    const known = this.#known.masters.get(account)
    if (known !== undefined && isUnchanged(known, state)) return refreshed(known, state)
    const data = await this.#reader.masterData(Address.parseRaw(account), state, this.#now)
    if (data === undefined) return known
    return {
      address: account,
      totalSupply: data.totalSupply,
      mintable: data.mintable,
      admin: data.admin?.toRawString(),
      content: readJettonContent(data.content),
      walletCodeHash: data.walletCode.hash(),
      ...contractOf(state),
    }
  }

  async #readWallet(account: string): Promise<IndexedJettonWallet | undefined> {
    const state = this.#stateOf(account)
    const known = this.#known.wallets.get(account)
    if (known !== undefined && isUnchanged(known, state)) return refreshed(known, state)
    const data = await this.#reader.walletData(Address.parseRaw(account), state, this.#now)
    if (data === undefined) return known
    const owner = data.owner.toRawString()
    const master = data.master.toRawString()
    const isKnown = known?.owner === owner && known.master === master
    if (!isKnown && !(await this.#confirms(data.master, data.owner, account))) return undefined
    return { address: account, balance: data.balance, owner, master, ...contractOf(state) }
  }

  async #confirms(master: Address, owner: Address, account: string): Promise<boolean> {
    const name = master.toRawString()
    if ((await this.master(name)) === undefined) return false
    const named = await this.#reader.walletAddress(master, this.#stateOf(name), this.#now, owner)
    return named?.toRawString() === account
  }
}

type Contract = Pick<IndexedJettonWallet, 'codeHash' | 'dataHash' | 'lastLt'>

function contractOf({ summary, lastLt }: AccountState): Contract {
  const { codeHash = noHash, dataHash = noHash } = summary
  return { codeHash, dataHash, lastLt }
}

// An active account has code and data; any other account has no get methods.
const noHash = Buffer.alloc(32)

function isUnchanged(known: Contract, state: AccountState): boolean {
  const { codeHash, dataHash } = contractOf(state)
  return known.codeHash.equals(codeHash) && known.dataHash.equals(dataHash)
}

function refreshed<entry extends Contract>(known: entry, { lastLt }: AccountState): entry {
  return known.lastLt === lastLt ? known : { ...known, lastLt }
}
