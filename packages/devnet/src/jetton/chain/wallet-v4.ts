import {
  beginCell,
  Cell,
  contractAddress,
  external,
  internal,
  storeMessageRelaxed,
  type Address,
  type Message,
  type StateInit,
} from '@ton/core'
import type { AccountState } from './account-state.ts'
import { keyPairFromSeed, sign, type KeyPair } from '@ton/crypto'

// Code of the wallet v4 r2 (https://github.com/ton-blockchain/wallet-contract), the same in all wallets of this
// version.
const code = Cell.fromBase64(
  'te6ccgECFAEAAtQAART/APSkE/S88sgLAQIBIAIDAgFIBAUE+PKDCNcYINMf0x/THwL4I7vyZO1E0NMf0x/T//QE0VFDuvKhUVG68qIF+QFUEGT5EPKj+AAkpMjLH1JAyx9SMMv/UhD0AMntVPgPAdMHIcAAn2xRkyDXSpbTB9QC+wDoMOAhwAHjACHAAuMAAcADkTDjDQOkyMsfEssfy/8QERITAubQAdDTAyFxsJJfBOAi10nBIJJfBOAC0x8hghBwbHVnvSKCEGRzdHK9sJJfBeAD+kAwIPpEAcjKB8v/ydDtRNCBAUDXIfQEMFyBAQj0Cm+hMbOSXwfgBdM/yCWCEHBsdWe6kjgw4w0DghBkc3RyupJfBuMNBgcCASAICQB4AfoA9AQw+CdvIjBQCqEhvvLgUIIQcGx1Z4MesXCAGFAEywUmzxZY+gIZ9ADLaRfLH1Jgyz8gyYBA+wAGAIpQBIEBCPRZMO1E0IEBQNcgyAHPFvQAye1UAXKwjiOCEGRzdHKDHrFwgBhQBcsFUAPPFiP6AhPLassfyz/JgED7AJJfA+ICASAKCwBZvSQrb2omhAgKBrkPoCGEcNQICEekk30pkQzmkD6f+YN4EoAbeBAUiYcVnzGEAgFYDA0AEbjJftRNDXCx+AA9sp37UTQgQFA1yH0BDACyMoHy//J0AGBAQj0Cm+hMYAIBIA4PABmtznaiaEAga5Drhf/AABmvHfaiaEAQa5DrhY/AAG7SB/oA1NQi+QAFyMoHFcv/ydB3dIAYyMsFywIizxZQBfoCFMtrEszMyXP7AMhAFIEBCPRR8qcCAHCBAQjXGPoA0z/IVCBHgQEI9FHyp4IQbm90ZXB0gBjIywXLAlAGzxZQBPoCFMtqEssfyz/Jc/sAAgBsgQEI1xj6ANM/MFIkgQEI9Fnyp4IQZHN0cnB0gBjIywXLAlAFzxZQA/oCE8tqyx8Syz/Jc/sAAAr0AMntVA==',
)
const walletId = 698_983_191
const payFeesSeparately = 1
const ignoreErrors = 2

/** A message that a wallet sends. */
export interface WalletTransfer {
  readonly to: Address
  /** Nanocoins. */
  readonly value: bigint
  /** False for an account that is not deployed yet. */
  readonly bounce?: boolean
  readonly init?: StateInit
  readonly body?: Cell
}

/** A wallet v4 r2 and its key. */
export class WalletV4 {
  readonly #keys: KeyPair
  readonly init: StateInit
  readonly address: Address

  /** @param seed 32 bytes. */
  constructor(seed: Buffer) {
    this.#keys = keyPairFromSeed(seed)
    const data = beginCell()
      .storeUint(0, 32)
      .storeUint(walletId, 32)
      .storeBuffer(this.#keys.publicKey)
      .storeBit(false)
      .endCell()
    this.init = { code, data }
    this.address = contractAddress(0, this.init)
  }

  /**
   * Signs an external message that makes the wallet send others.
   *
   * @param seqno Number of messages that the wallet has accepted so far; the first one deploys it.
   * @param validUntil Unix seconds.
   * @param transfers At most four.
   */
  transfer(seqno: number, validUntil: number, transfers: readonly WalletTransfer[]): Message {
    const order = beginCell()
      .storeUint(walletId, 32)
      .storeUint(validUntil, 32)
      .storeUint(seqno, 32)
      .storeUint(0, 8)
    for (const transfer of transfers) {
      const message = beginCell().store(storeMessageRelaxed(internal({ bounce: true, ...transfer })))
      order.storeUint(payFeesSeparately | ignoreErrors, 8).storeRef(message)
    }
    const signed = order.endCell()
    const body = beginCell()
      .storeBuffer(sign(signed.hash(), this.#keys.secretKey))
      .storeSlice(signed.beginParse())
    return external({ to: this.address, body: body.endCell(), ...(seqno === 0 && { init: this.init }) })
  }
}

/** Reads the number of messages that a wallet has accepted; zero before its deployment. */
export function readSeqno(wallet: AccountState): number {
  const { account } = wallet.load()
  const state = account?.storage.state
  return state?.type === 'active' ? (state.state.data?.beginParse().loadUint(32) ?? 0) : 0
}
