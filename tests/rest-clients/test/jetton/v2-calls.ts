import { Address, beginCell, toNano } from '@ton/core'
import type { Methods } from '@fairlead/jetton/v2'
import type { Example } from './example.ts'
import type { FundedWallet } from './funded-wallet.ts'

/** Values from which calls are built. */
export interface CallContext {
  readonly example: Example
  readonly sender: FundedWallet
}

/** Parameters of a call by name: the query of a read, the body of a call, and the params of JSON-RPC. */
export type Call = (context: CallContext) => object

const byAddress: Call = ({ example: { wallet } }) => ({ address: wallet })
const ofWallet: Call = ({ example: { wallet, head } }) => ({ address: wallet, seqno: head })
const ofMaster: Call = ({ example: { masterSeqno } }) => ({ seqno: masterSeqno })
const ofBlock: Call = ({ example: { block } }) => ({ ...block, count: 2 })
const history: Call = ({ example: { jettonWallet, transaction } }) => ({
  address: jettonWallet,
  lt: transaction.lt,
  hash: transaction.hash,
  to_lt: '1',
  limit: 2,
  archival: true,
})
const ofMessage: Call = ({ example: { message } }) => ({
  source: message.source,
  destination: message.destination,
  created_lt: message.created_lt,
})
const hello = { value: toNano('0.01'), body: 'hello' }
const message: Call = ({ sender }) => ({ boc: sender.next({ to: sender.address, ...hello }) })

/** One call of each method. */
export const v2Calls: Readonly<Record<keyof Methods, Call>> = {
  detectAddress: byAddress,
  detectHash: ({ example: { transaction } }) => ({ hash: transaction.hash }),
  packAddress: byAddress,
  unpackAddress: byAddress,
  getAddressInformation: ofWallet,
  getExtendedAddressInformation: ofWallet,
  getShardAccountCell: ofWallet,
  getWalletInformation: ofWallet,
  getAddressBalance: ofWallet,
  getAddressState: ofWallet,
  getTokenData: ({ example: { master } }) => ({ address: master }),
  dnsResolve: ({ example: { wallet } }) => ({ address: wallet, name: 'a', ttl: 1 }),
  getMasterchainInfo: () => ({}),
  getMasterchainBlockSignatures: ofMaster,
  getShardBlockProof: ({ example: { block } }) => block,
  getConsensusBlock: () => ({}),
  lookupBlock: ({ example: { block, transaction } }) => ({
    workchain: block.workchain,
    shard: block.shard,
    lt: transaction.lt,
  }),
  shards: ofMaster,
  getShards: ofMaster,
  getBlockHeader: ({ example: { block } }) => block,
  getOutMsgQueueSize: () => ({}),
  getBlockTransactions: ofBlock,
  getBlockTransactionsExt: ofBlock,
  getTransactions: history,
  getTransactionsStd: history,
  tryLocateTx: ofMessage,
  tryLocateResultTx: ofMessage,
  tryLocateSourceTx: ofMessage,
  getConfigParam: () => ({ config_id: 15 }),
  getConfigAll: ofMaster,
  getLibraries: ({ example: { transaction } }) => ({ libraries: [transaction.hash] }),
  runGetMethod: ({ example: { master, wallet } }) => ({
    address: master,
    method: 'get_wallet_address',
    stack: [['tvm.Slice', addressCell(wallet)]],
  }),
  runGetMethodStd: ({ example: { master, wallet } }) => ({
    address: master,
    method: 'get_wallet_address',
    stack: [{ '@type': 'tvm.stackEntrySlice', slice: { '@type': 'tvm.slice', bytes: addressCell(wallet) } }],
  }),
  sendBoc: message,
  sendBocReturnHash: message,
  sendBocReturnHashNoError: message,
  estimateFee: ({ sender }) => sender.estimate({ to: sender.address, ...hello }),
}

/** An address as a bag of cells. */
export function addressCell(address: string): string {
  return beginCell().storeAddress(Address.parse(address)).endCell().toBoc().toString('base64')
}
