import { addressCell, type Call, v2Calls } from './v2-calls.ts'

const page = { limit: 2, offset: 0 }
const newestFirst = { ...page, sort: 'desc' }
const ofMaster: Call = ({ example: { masterSeqno } }) => ({ seqno: masterSeqno })
const pending: Call = ({ example: { wallet } }) => ({ account: wallet })
const named: Call = ({ example: { wallet, master } }) => ({ address: [wallet, master] })
const owned: Call = ({ example: { wallet } }) => ({ owner_address: [wallet], ...page })
const decoded: Call = ({ example: { message } }) => ({ opcodes: [message.opcode], bodies: [message.body] })

/** One call of each operation, by operation id. */
export const v3Calls = {
  getMasterchainInfo: () => ({}),
  listBlocks: ({ example: { block } }) => ({
    workchain: block.workchain,
    seqno: block.seqno,
    ...newestFirst,
  }),
  getMasterchainShardState: ofMaster,
  listMasterchainShards: ofMaster,
  listTransactions: ({ example: { transaction } }) => ({ hash: transaction.hash, ...newestFirst }),
  listPendingTransactions: pending,
  listAdjacentTransactions: ({ example: { transaction } }) => ({ hash: transaction.hash, direction: 'in' }),
  listTransactionsByMasterchainBlock: ({ example: { masterSeqno } }) => ({
    seqno: masterSeqno,
    ...newestFirst,
  }),
  listTransactionsByMessage: ({ example: { message } }) => ({
    msg_hash: message.hash,
    direction: 'in',
    ...page,
  }),
  listMessages: ({ example: { message } }) => ({ body_hash: message.body_hash, ...newestFirst }),
  getAddressBook: named,
  getMetadata: named,
  listAccountStates: named,
  listWalletStates: named,
  listDnsRecords: ({ example: { wallet } }) => ({ wallet, ...page }),
  listVestingContracts: ({ example: { wallet } }) => ({ contract_address: [wallet], ...page }),
  listNftCollections: owned,
  listNftItems: owned,
  listNftTransfers: owned,
  listNftSales: ({ example: { wallet } }) => ({ address: [wallet] }),
  listTopAccountsByBalance: () => page,
  listJettonMasters: () => page,
  listJettonWallets: owned,
  listJettonTransfers: owned,
  listJettonBurns: ({ example: { master } }) => ({ address: master, ...newestFirst }),
  listTraces: ({ example: { transaction } }) => ({
    tx_hash: [transaction.hash],
    include_actions: true,
    ...newestFirst,
  }),
  listPendingTraces: pending,
  listActions: ({ example: { wallet } }) => ({ account: wallet, include_accounts: true, ...newestFirst }),
  listPendingActions: pending,
  listMultisigWallets: ({ example: { wallet } }) => ({ address: [wallet], ...newestFirst }),
  listMultisigOrders: ({ example: { wallet } }) => ({ address: [wallet], ...newestFirst }),
  getWalletInformation: ({ example: { wallet } }) => ({ address: wallet, use_v2: false }),
  getAddressInformation: ({ example: { wallet } }) => ({ address: wallet, use_v2: false }),
  sendMessage: (context) => v2Calls.sendBoc(context),
  estimateFee: (context) => v2Calls.estimateFee(context),
  runGetMethod: ({ example: { master, wallet } }) => ({
    address: master,
    method: 'get_wallet_address',
    stack: [{ type: 'slice', value: addressCell(wallet) }],
  }),
  decode: decoded,
  decodeByPost: decoded,
} as const satisfies Readonly<Record<string, Call>>
