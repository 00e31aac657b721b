import { Address, type TransactionDescription } from '@ton/core'
import type { ChainTransaction } from '../../chain/jetton-chain.ts'
import { writeRawAddress } from '../cells/address.ts'
import { transactionMessages } from '../cells/transaction-messages.ts'
import { writeTransactionId } from './block-id.ts'
import { writeAccountAddress, writeMessage } from './write-message.ts'

/** Forms of a transaction: `raw.transaction`, the same with its account, and the legacy `ext.transaction`. */
export type TransactionForm = 'std' | 'ext' | 'legacy'

const types: Readonly<Record<TransactionForm, string>> = {
  std: 'raw.transaction',
  ext: 'raw.transactionExt',
  legacy: 'ext.transaction',
}

/**
 * Formats a transaction.
 *
 * @param transaction The transaction.
 * @param form The form to write.
 * @returns The transaction in the format of the API.
 */
export function writeTransaction(transaction: ChainTransaction, form: TransactionForm): object {
  const parsed = transaction.parse()
  const { incoming, outgoing } = transactionMessages(parsed)
  const messageForm = form === 'legacy' ? 'legacy' : 'std'
  const sent = outgoing.map((cell) => writeMessage(cell, messageForm))
  // The sender pays the forwarding fees of its messages, although the receiving transactions collect them.
  const fee = sent.reduce((sum, { fees }) => sum + fees, parsed.totalFees.coins)
  const storageFee = readStorageFee(parsed.description)
  return {
    '@type': types[form],
    address: writeAccountAddress(Address.parseRaw(transaction.account)),
    ...(form !== 'std' && { account: writeRawAddress(transaction.account) }),
    utime: transaction.now,
    data: transaction.boc.toString('base64'),
    transaction_id: writeTransactionId(transaction.lt, transaction.hash),
    fee: `${fee}`,
    storage_fee: `${storageFee}`,
    other_fee: `${fee - storageFee}`,
    ...(incoming !== undefined && { in_msg: writeMessage(incoming, messageForm).json }),
    out_msgs: sent.map(({ json }) => json),
  }
}

function readStorageFee(description: TransactionDescription): bigint {
  return ('storagePhase' in description && description.storagePhase?.storageFeesCollected) || 0n
}
