import type {
  IndexedJettonBurn,
  IndexedJettonMaster,
  IndexedJettonMint,
  IndexedJettonTransfer,
  IndexedJettonWallet,
} from '../chain/jetton-chain.ts'

/** The changes of the index by one step of the chain. */
export interface IndexChange {
  readonly masters: readonly IndexedJettonMaster[]
  readonly wallets: readonly IndexedJettonWallet[]
  readonly transfers: readonly IndexedJettonTransfer[]
  readonly burns: readonly IndexedJettonBurn[]
  readonly mints: readonly IndexedJettonMint[]
}
