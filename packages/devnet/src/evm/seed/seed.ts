import { sampleTokenBytecode, sampleTokenSelectors } from '../generated/sample-token.ts'
import { callEngine } from '../json-rpc.ts'
import type { Receipt } from './receipt.ts'
import { mineSystemBlock } from './system-block.ts'

/**
 * Hashes and account addresses of the sample data of a development chain; every value is a hex string in the format of
 * the chain.
 */
export type EvmExample = {
  /** Sample token, an ERC-20 contract. */
  contract: string
  /** Account that holds ether and tokens; the engine signs for it. */
  account: string
  /** Account that received ether and tokens. */
  recipient: string
  /** Transaction that created the contract. */
  deployment_hash: string
  /** Transaction with a `Transfer` log. */
  transfer_hash: string
  /** Block of that transaction. */
  transfer_block_hash: string
  /** Transaction that only transfers ether. */
  value_transfer_hash: string
  /** Mined transaction that failed: the contract reverts with its custom error. */
  failed_hash: string
  /** Block that begins with system transactions. */
  system_block_hash: string
  /** Number of that block. */
  system_block_number: string
  /** First system transaction of that block. */
  system_transaction_hash: string
}

const token = 10n ** 18n
const ether = 10n ** 18n
const transferGas = '0x30d40'

/**
 * Fills a fresh chain with sample data: a token, transfers over several blocks, a failed call and a block with system
 * transactions.
 *
 * @param url URL of the engine; it mines every transaction immediately.
 * @param signal Aborts the seeding.
 * @returns Hashes and account addresses of the sample data.
 * @throws Error when the engine does not execute a request as expected.
 */
export async function seedChain(url: string, signal: AbortSignal): Promise<EvmExample> {
  const call = <result>(method: string, params: readonly unknown[] = []) =>
    callEngine<result>(url, method, params, signal)
  const send = async (transaction: Record<string, unknown>, status = '0x1'): Promise<Receipt> => {
    const receipt = await call<Receipt>('eth_sendTransactionSync', [transaction])
    if (receipt.status !== status)
      throw new Error(`transaction ${receipt.transactionHash} ended ${receipt.status}`)
    return receipt
  }

  const [account, recipient, spender, payee] = await call<string[]>('eth_accounts')
  if (account === undefined || recipient === undefined || spender === undefined || payee === undefined) {
    throw new Error('the engine has too few accounts')
  }
  const deployment = await send({ from: account, data: sampleTokenBytecode + encodeWord(1_000_000n * token) })
  const contract = deployment.contractAddress
  if (contract === null) throw new Error('the deployment created no contract')
  const transfer = (to: string, amount: bigint) =>
    sampleTokenSelectors.transfer + encodeWord(to) + encodeWord(amount)

  const first = await send({ from: account, to: contract, data: transfer(recipient, 1_000n * token) })
  await send({ from: account, to: contract, data: transfer(spender, 250n * token) })
  const valueTransfer = await send({ from: account, to: recipient, value: hex(3n * ether) })
  // The older transaction types occur on every chain, so clients have to support them.
  await send({
    from: recipient,
    to: payee,
    value: hex(ether / 4n),
    type: '0x0',
    gasPrice: hex(3n * 10n ** 9n),
  })
  await send({
    from: recipient,
    to: contract,
    data: transfer(spender, 40n * token),
    type: '0x1',
    accessList: [],
  })
  await send({
    from: account,
    to: contract,
    data: sampleTokenSelectors.approve + encodeWord(spender) + encodeWord(500n * token),
  })
  await send({
    from: spender,
    to: contract,
    data:
      sampleTokenSelectors.transferFrom + encodeWord(account) + encodeWord(payee) + encodeWord(75n * token),
  })
  // With an explicit gas limit the engine does not simulate the call first, so it is mined although it fails.
  const failed = await send(
    { from: payee, to: contract, data: transfer(account, 1_000_000n * token), gas: transferGas },
    '0x0',
  )
  const system = await mineSystemBlock(call, {
    native: { to: recipient, value: hex(2n * ether) },
    bridged: { to: contract, data: transfer(recipient, 12n * token) },
    fundBridge: (bridge) => send({ from: account, to: contract, data: transfer(bridge, 100n * token) }),
    regular: [
      { from: account, to: contract, data: transfer(payee, 5n * token), gas: transferGas },
      { from: recipient, to: spender, value: hex(ether / 10n) },
    ],
  })
  await send({ from: recipient, to: contract, data: transfer(account, 10n * token) })
  return {
    contract,
    account,
    recipient,
    deployment_hash: deployment.transactionHash,
    transfer_hash: first.transactionHash,
    transfer_block_hash: first.blockHash,
    value_transfer_hash: valueTransfer.transactionHash,
    failed_hash: failed.transactionHash,
    system_block_hash: system.blockHash,
    system_block_number: system.blockNumber,
    system_transaction_hash: system.transactionHash,
  }
}

function encodeWord(value: bigint | string): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}
