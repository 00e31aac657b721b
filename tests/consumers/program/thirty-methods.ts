// Thirty methods in one program: the work of a compiler for a client of this size.
import * as actions from '@fairlead/evm-rpc/actions'
import { createEvmClient, type Quantity } from '@fairlead/evm-rpc'

const evm = createEvmClient({ url: 'https://node.example.com', auth: { kind: 'token', token: 't0k3n' } })
const address = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const hash = `0x${'12'.repeat(32)}`
const call = { to: address, data: '0x' }

export async function byName(): Promise<readonly unknown[]> {
  const height: Quantity = await evm.request({ method: 'eth_blockNumber' })
  const block = await evm.request({ method: 'eth_getBlockByNumber', params: [height, true] })
  const nonces = block?.transactions.map(({ nonce }) => nonce)
  const receipt = await evm.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  const topics = receipt?.logs.flatMap((log) => log.topics)
  const [log] = await evm.request({
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x1', toBlock: 'latest' }],
  })
  return [
    nonces,
    topics,
    log?.data,
    await evm.request({ method: 'eth_chainId' }),
    await evm.request({ method: 'eth_gasPrice' }),
    await evm.request({ method: 'eth_syncing' }),
    await evm.request({ method: 'eth_getBalance', params: [address, 'latest'] }),
    await evm.request({ method: 'eth_getCode', params: [address] }),
    await evm.request({ method: 'eth_getProof', params: [address, ['0x0'], 'latest'] }),
    await evm.request({ method: 'eth_feeHistory', params: ['0x4', 'latest', [25, 75]] }),
    await evm.request({ method: 'eth_call', params: [call] }),
    await evm.request({ method: 'eth_estimateGas', params: [call] }),
    await evm.request({ method: 'eth_createAccessList', params: [call] }),
    await evm.request({ method: 'ots_getApiLevel' }),
    await evm.request({
      method: 'debug_traceCallMany',
      params: [[], { blockNumber: '0x1', transactionIndex: -1 }],
    }),
  ]
}

export async function byAction(): Promise<readonly unknown[]> {
  const block = await actions.eth_getBlockByHash(evm, hash, false)
  const hashes: readonly string[] | undefined = block?.transactions
  return [
    hashes,
    await actions.eth_getBlockReceipts(evm, 'latest'),
    await actions.eth_getBlockTransactionCountByHash(evm, hash),
    await actions.eth_getBlockTransactionCountByNumber(evm, 'latest'),
    await actions.eth_getTransactionByHash(evm, hash),
    await actions.eth_getTransactionByBlockHashAndIndex(evm, hash, '0x0'),
    await actions.eth_getTransactionByBlockNumberAndIndex(evm, 'latest', '0x0'),
    await actions.eth_getTransactionCount(evm, address),
    await actions.eth_getStorageAt(evm, address, '0x0'),
    await actions.eth_getSystemTxsByBlockHash(evm, hash),
    await actions.eth_maxPriorityFeePerGas(evm),
    await actions.eth_newFilter(evm, { address }),
    await actions.eth_getFilterChanges(evm, '0x1'),
    await actions.net_version(evm),
    await actions.web3_clientVersion(evm),
  ]
}
