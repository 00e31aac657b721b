import type { ProbeResponse } from './read-response.ts'

/** Values that exist on a chain, to use as params. */
export interface ChainSample {
  readonly clientVersion: string | undefined
  readonly chainId: string | undefined
  /** A recent block with few transactions, but at least one if there is such a block. */
  readonly block: { readonly number: string; readonly hash: string; readonly timestamp: string }
  readonly transaction: { readonly hash: string; readonly sender: string; readonly nonce: string }
  /** Recipient of the transaction, or else its sender. */
  readonly address: string
}

/** 32 bytes of zeros. */
export const zeroHash = `0x${'0'.repeat(64)}`
/** The zero address, for which no private key is known. */
export const zeroAddress = `0x${'0'.repeat(40)}`

const maxBlocksBack = 16
const fewTransactions = 20

type Send = (method: string, params: readonly unknown[]) => Promise<ProbeResponse>

/**
 * Reads a recent block and one of its transactions. Tries a few earlier blocks when the latest ones are empty. Missing
 * values are replaced by zeros: a method responds even to a request for an unknown object.
 *
 * @param send - calls the upstream
 */
export async function readSample(send: Send): Promise<ChainSample> {
  const result = async (method: string, ...params: unknown[]) => (await send(method, params)).result
  const clientVersion = textOf(await result('web3_clientVersion'))
  const chainId = textOf(await result('eth_chainId'))
  let chosen: Block | undefined
  let block = blockOf(await result('eth_getBlockByNumber', 'latest', false))
  for (let back = 0; block && back < maxBlocksBack; back++) {
    if (!chosen || isBetter(block, chosen)) chosen = block
    if (isSuitable(chosen) || Number(block.number) === 0) break
    const previous = `0x${(BigInt(block.number) - 1n).toString(16)}`
    block = blockOf(await result('eth_getBlockByNumber', previous, false))
  }
  const hash = chosen?.transactions[0] ?? zeroHash
  const found = hash === zeroHash ? undefined : recordOf(await result('eth_getTransactionByHash', hash))
  const sender = textOf(found?.['from']) ?? zeroAddress
  return {
    clientVersion,
    chainId,
    block: chosen ?? { number: '0x0', hash: zeroHash, timestamp: '0x0' },
    transaction: { hash, sender, nonce: textOf(found?.['nonce']) ?? '0x0' },
    address: textOf(found?.['to']) ?? sender,
  }
}

interface Block {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

// Tracing a whole block is cheap for a block with few transactions.
function isSuitable({ transactions: { length } }: Block): boolean {
  return length > 0 && length <= fewTransactions
}

function isBetter({ transactions: { length } }: Block, { transactions: other }: Block): boolean {
  return length > 0 && (other.length === 0 || length < other.length)
}

function blockOf(value: unknown): Block | undefined {
  const { number, hash, timestamp, transactions } = recordOf(value) ?? {}
  if (!isHex(number) || !isHex(hash) || !isHex(timestamp) || !Array.isArray(transactions)) return undefined
  return { number, hash, timestamp, transactions: transactions.filter(isHex) }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value)
}
