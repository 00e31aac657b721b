import type {
  IndexedJettonBurn,
  IndexedJettonMaster,
  IndexedJettonMint,
  IndexedJettonTransfer,
  IndexedJettonWallet,
} from '../chain/jetton-chain.ts'

/** What one step of the chain brings to the index. */
export interface IndexChange {
  readonly masters: readonly IndexedJettonMaster[]
  readonly wallets: readonly IndexedJettonWallet[]
  readonly transfers: readonly IndexedJettonTransfer[]
  readonly burns: readonly IndexedJettonBurn[]
  readonly mints: readonly IndexedJettonMint[]
}
