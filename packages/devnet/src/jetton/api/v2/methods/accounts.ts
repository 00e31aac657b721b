import { beginCell, storeShardAccount, type Cell } from '@ton/core'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { writeHash } from '../../cells/hash.ts'
import { accountAt, type AccountAt } from '../account-at.ts'
import { writeBlockId, writeTransactionId } from '../block-id.ts'
import { readConfiguration } from '../configuration.ts'
import { Failure } from '../../failure.ts'
import { reading, type Methods } from '../method.ts'
import { address, nonNegative, optional, positive, text } from '../parameters.ts'
import { readTokenData } from '../token-data.ts'
import { readWallet } from '../../cells/wallets.ts'
import { writeAccountAddress, writeExtraCurrencies } from '../write-message.ts'

const ofAccount = { address, seqno: optional(positive) }

/** Methods about accounts. */
export const accountMethods: Methods = {
  getAddressInformation: reading(ofAccount, async (chain, values) => {
    const at = await accountAt(chain, values.address, values.seqno)
    const { code, data, frozenHash } = readContract(at)
    return {
      '@type': 'raw.fullAccountState',
      ...writeCommon(at),
      code: writeOptionalBoc(code),
      data: writeOptionalBoc(data),
      frozen_hash: frozenHash,
      state: stateName(at),
      suspended: readConfiguration(chain.config).isSuspended(values.address, at.block.genUtime),
    }
  }),
  getExtendedAddressInformation: reading(ofAccount, async (chain, values) => {
    const at = await accountAt(chain, values.address, values.seqno)
    return {
      '@type': 'fullAccountState',
      address: writeAccountAddress(values.address),
      ...writeCommon(at),
      ...writeAccountState(at),
    }
  }),
  getShardAccountCell: reading(ofAccount, async (chain, values) => {
    const { state } = await accountAt(chain, values.address, values.seqno)
    return { '@type': 'tvm.cell', bytes: writeBoc(beginCell().store(storeShardAccount(state)).endCell()) }
  }),
  getWalletInformation: reading(ofAccount, async (chain, values) => {
    const at = await accountAt(chain, values.address, values.seqno)
    const { code, data } = readContract(at)
    const wallet = readWallet(code, data)
    return {
      '@type': 'ext.accounts.walletInformation',
      wallet: wallet !== undefined,
      balance: writeBalance(at),
      account_state: stateName(at),
      last_transaction_id: writeLastTransaction(at),
      ...(wallet !== undefined && { wallet_type: wallet.type, ...wallet.data }),
    }
  }),
  getAddressBalance: reading(ofAccount, async (chain, values) =>
    writeBalance(await accountAt(chain, values.address, values.seqno)),
  ),
  getAddressState: reading(ofAccount, async (chain, values) =>
    stateName(await accountAt(chain, values.address, values.seqno)),
  ),
  getTokenData: reading(ofAccount, async (chain, values) => {
    await accountAt(chain, values.address, values.seqno)
    return readTokenData(chain, values.address)
  }),
  dnsResolve: reading(
    {
      address,
      name: optional(text),
      category: optional(text),
      ttl: optional(nonNegative),
      seqno: optional(positive),
    },
    () => {
      throw new Failure(501, 'an embedded chain has no contracts that keep domain names')
    },
  ),
}

interface Contract {
  readonly code: Cell | undefined
  readonly data: Cell | undefined
  readonly frozenHash: string
}

function readContract({ state }: AccountAt): Contract {
  const stored = state.account?.storage.state
  return {
    code: (stored?.type === 'active' && stored.state.code) || undefined,
    data: (stored?.type === 'active' && stored.state.data) || undefined,
    frozenHash: stored?.type === 'frozen' ? writeHash(stored.stateHash) : '',
  }
}

function writeCommon(at: AccountAt): object {
  return {
    balance: writeBalance(at),
    extra_currencies: writeExtraCurrencies(at.state.account?.storage.balance.other),
    last_transaction_id: writeLastTransaction(at),
    block_id: writeBlockId(at.block),
    sync_utime: at.block.genUtime,
  }
}

function writeBalance({ state }: AccountAt): string {
  return `${state.account?.storage.balance.coins ?? 0n}`
}

function writeLastTransaction({ state }: AccountAt): object {
  return writeTransactionId(state.lastTransactionLt, state.lastTransactionHash)
}

function stateName({ state }: AccountAt): 'uninitialized' | 'active' | 'frozen' {
  const type = state.account?.storage.state.type ?? 'uninit'
  return type === 'uninit' ? 'uninitialized' : type
}

function writeAccountState(at: AccountAt): { account_state: object; revision: number } {
  const { code, data, frozenHash } = readContract(at)
  if (code === undefined) {
    return {
      account_state: { '@type': 'uninited.accountState', frozen_hash: frozenHash },
      revision: 0,
    }
  }
  const wallet = readWallet(code, data)
  if (wallet?.accountState !== undefined) {
    const { seqno, wallet_id } = wallet.data
    return {
      account_state: { '@type': wallet.accountState, wallet_id, seqno },
      revision: wallet.revision,
    }
  }
  return {
    account_state: {
      '@type': 'raw.accountState',
      code: writeBoc(code),
      data: writeOptionalBoc(data),
      frozen_hash: frozenHash,
    },
    revision: 0,
  }
}

function writeOptionalBoc(cell: Cell | undefined): string {
  return cell === undefined ? '' : writeBoc(cell)
}
