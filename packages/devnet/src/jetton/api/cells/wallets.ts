import type { Cell } from '@ton/core'

/** The contents of a wallet's data. */
export interface WalletData {
  readonly seqno: number
  readonly wallet_id?: number
  readonly is_signature_allowed?: boolean
}

/** A kind of wallet, identified by the hash of its code. */
interface WalletKind {
  /** Name in the API. */
  readonly type: string
  /** State type in the extended response; undefined when that response contains code and data instead. */
  readonly accountState?: 'wallet.v3.accountState' | 'wallet.v4.accountState'
  /** Revision of the contract. */
  readonly revision: number
  readData(data: Cell): WalletData
}

/** A wallet with the contents of its data. */
export interface Wallet extends Omit<WalletKind, 'readData'> {
  readonly data: WalletData
}

const kinds: Readonly<Record<string, WalletKind>> = {
  'oM/CxIruFqJx8s/AtzgtgXVs7LEBfQd/qqs7tgL2how=': { type: 'wallet v1 r1', revision: 1, readData: readSeqno },
  '1JAvzJ+tdGmPqONTIgpo2g3PcuMryy657gQhfBfTBiw=': { type: 'wallet v1 r2', revision: 2, readData: readSeqno },
  'WHzHie/xyE9G7DeX5F/ICaFP9a4k8eDHpqmcydyQYf8=': { type: 'wallet v1 r3', revision: 3, readData: readSeqno },
  'XJpeaMEI4YchoHxC+ZVr+zmtd+xtYktgxXbsiO7mUyk=': { type: 'wallet v2 r1', revision: 1, readData: readSeqno },
  '/pUw0yQ4Uwg+8u8LTCkIwKv2+hwx6iQ6rKpb+MfXU/E=': { type: 'wallet v2 r2', revision: 2, readData: readSeqno },
  'thBBpYp5gLlG6PueGY48kE0keZ/6NldOpCUcQaVm9YE=': numbered('wallet v3 r1', 1, 'wallet.v3.accountState'),
  'hNr6RJ+Ypph3ibojI1gHK8D3bcRSQAKl0JGLmnXS1Zk=': numbered('wallet v3 r2', 2, 'wallet.v3.accountState'),
  'ZN1UgFUixb6KnbWc6gEFzPDQh4bKeb64y3nogKjXMi0=': numbered('wallet v4 r1', 1, 'wallet.v4.accountState'),
  '/rX/aCDi/w2Ug+fg1iyBfYRniftK5YDIeIZtlZ2r1cA=': numbered('wallet v4 r2', 2, 'wallet.v4.accountState'),
  '89fKU0k97trCizgZhqhJQDy6w9LFhHea8IEGWvCsS5M=': {
    type: 'wallet v5 beta',
    revision: 1,
    // In this wallet the first bit is the sign of the number, and it is set while signatures are disabled.
    readData: (data) => readSigned(data, (bit) => !bit),
  },
  'IINLe3KxEhR+Gy+0V7hOdNGjDwT3N9T2KmaOlVLSty8=': {
    type: 'wallet v5 r1',
    revision: 1,
    readData: (data) => readSigned(data, (bit) => bit),
  },
}

/**
 * Returns the wallet kind and data of a contract.
 *
 * @param code The code of the contract.
 * @param data The data of the contract.
 * @returns The wallet, or undefined for any other contract, and for data that the code could not have written.
 */
export function readWallet(code: Cell | undefined, data: Cell | undefined): Wallet | undefined {
  const kind = code === undefined ? undefined : kinds[code.hash().toString('base64')]
  if (kind === undefined || data === undefined) return undefined
  const { readData, ...summary } = kind
  try {
    return { ...summary, data: readData(data) }
  } catch {
    return undefined
  }
}

function numbered(type: string, revision: number, accountState: WalletKind['accountState']): WalletKind {
  return {
    type,
    revision,
    ...(accountState !== undefined && { accountState }),
    readData(data) {
      const slice = data.beginParse()
      return { seqno: slice.loadUint(32), wallet_id: slice.loadInt(32) }
    },
  }
}

function readSeqno(data: Cell): WalletData {
  return { seqno: data.beginParse().loadUint(32) }
}

function readSigned(data: Cell, isAllowed: (bit: boolean) => boolean): WalletData {
  const slice = data.beginParse()
  const is_signature_allowed = isAllowed(slice.loadBit())
  return { is_signature_allowed, seqno: slice.loadUint(32), wallet_id: slice.loadInt(32) }
}
