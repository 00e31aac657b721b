import { getCompiledTransactionMessageCodec, getTransactionCodec, type Blockhash } from '@solana/kit'
import { readTransaction, type WireTransaction } from '../../chain/wire-transaction.ts'
import { TransactionRefused } from '../../chain/transaction-refused.ts'
import { decodeBase58, invalid } from './parameters.ts'

// A legacy message has its signer count in the byte that contains the version of other messages.
const versionBit = 0x80
const version1 = 0x81
const signatureBytes = 64
const longestText = 8192
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes a transaction from a caller.
 *
 * @param text the transaction
 * @param encoding `base58`, the default of RPC nodes, or `base64`
 * @returns its bytes
 * @throws RpcError for a text that is not a transaction
 */
export function decodeTransaction(text: string, encoding: unknown = 'base58'): Uint8Array {
  if (encoding !== 'base58' && encoding !== 'base64') throw invalid('encoding', 'base58 or base64')
  if (text.length > longestText) throw invalid('transaction', 'a transaction of at most 4096 bytes')
  const bytes = encoding === 'base58' ? decodeBase58(text) : decodeBase64(text)
  if (bytes === undefined) throw invalid('transaction', `a text in ${encoding}`)
  signatureOf(bytes)
  return bytes
}

/**
 * Returns the first signature of a transaction, which is its id.
 *
 * @throws RpcError for bytes that are not a transaction
 */
export function signatureOf(transaction: Uint8Array): Uint8Array {
  try {
    return readTransaction(transaction).signature
  } catch (error) {
    if (error instanceof TransactionRefused) throw invalid('transaction', 'a transaction in its wire format')
    throw error
  }
}

/**
 * Decodes a base64 message from a caller.
 *
 * @returns an unsigned transaction with the message
 * @throws RpcError for a text that is not a message
 */
export function readMessage(text: string): WireTransaction {
  const message = text.length > longestText ? undefined : decodeBase64(text)
  if (message === undefined) throw invalid('message', 'a text in base64')
  const [first = 0, second = 0] = message
  const isVersioned = (first & versionBit) !== 0
  const count = isVersioned ? second : first
  const signatures = new Uint8Array(count * signatureBytes)
  const parts = first === version1 ? [message, signatures] : [Uint8Array.of(count), signatures, message]
  try {
    return readTransaction(Buffer.concat(parts))
  } catch (error) {
    if (error instanceof TransactionRefused) throw invalid('message', 'a message in its wire format')
    throw error
  }
}

/** Replaces the blockhash of a transaction; its signatures are retained, and become invalid. */
export function replaceBlockhash(transaction: Uint8Array, blockhash: string): Uint8Array {
  const transactions = getTransactionCodec()
  const messages = getCompiledTransactionMessageCodec()
  const { messageBytes, signatures } = transactions.decode(transaction)
  const message = { ...messages.decode(messageBytes), lifetimeToken: blockhash as Blockhash }
  return new Uint8Array(
    transactions.encode({ messageBytes: messages.encode(message) as typeof messageBytes, signatures }),
  )
}

export function decodeBase64(text: string): Uint8Array | undefined {
  return base64.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : undefined
}
