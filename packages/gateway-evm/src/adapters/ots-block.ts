import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { CancellationSignal } from '@fairlead/runtime'
import type { Upstream } from '../upstream/types.ts'
import type { Adapter } from './adapter.ts'
import { blockInteger } from './block-number.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nodeClient } from './node-client.ts'
import { quantity } from './quantity.ts'
import { normalizeReceipt } from './receipts.ts'

/** Returns the details of a block. Returns null for an unknown block, where execution clients return an error. */
export const otsGetBlockDetails = nullWhenUnknown('ots_getBlockDetails')
/** As {@link otsGetBlockDetails}. */
export const otsGetBlockDetailsByHash = nullWhenUnknown('ots_getBlockDetailsByHash')

/** Returns a page of a block's transactions. Removes call data and logs, which explorers do not need. */
export const otsGetBlockTransactions = nullWhenUnknown('ots_getBlockTransactions', (page) => {
  if (!isRecord(page)) return page
  const { fullblock: block, receipts } = page
  const transactions = isRecord(block) ? block['transactions'] : undefined
  return {
    ...page,
    ...(isRecord(block) &&
      Array.isArray(transactions) && {
        fullblock: { ...block, transactions: transactions.map(withSelector) },
      }),
    ...(Array.isArray(receipts) && { receipts: receipts.map(explorerReceipt) }),
  }
})

/** Returns a page of an account's transactions, from a block backwards. */
export const otsSearchTransactionsBefore = searchPage('ots_searchTransactionsBefore')
/** As {@link otsSearchTransactionsBefore}, from a block forwards. */
export const otsSearchTransactionsAfter = searchPage('ots_searchTransactionsAfter')

function searchPage(method: string): Adapter {
  return {
    handle: async ({ signal }, [address, block, pageSize], upstream) => {
      const from = await startOf(method, await blockInteger(block, upstream, signal), upstream, signal)
      const page = await upstream.call(method, [address, from, pageSize], signal)
      return isRecord(page) && Array.isArray(page['receipts'])
        ? { ...page, receipts: page['receipts'].map(explorerReceipt) }
        : page
    },
  }
}

// Anvil iterates over every block number below the given one, including those past its chain head, and is blocked
// meanwhile.
async function startOf(
  method: string,
  block: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<unknown> {
  if (typeof block !== 'number' || method !== 'ots_searchTransactionsBefore') return block
  if ((await nodeClient(upstream, signal)) !== 'anvil') return block
  return block > Number(await upstream.call('eth_blockNumber', [], signal)) ? 0 : block
}

function nullWhenUnknown(method: string, transform = (result: unknown) => result): Adapter {
  return {
    handle: async ({ signal }, [block, ...rest], upstream) => {
      const blockReference = method.endsWith('Hash') ? block : await blockInteger(block, upstream, signal)
      if (blockReference === null) return null
      try {
        return transform(await upstream.call(method, [blockReference, ...rest], signal))
      } catch (error) {
        if (error instanceof RpcError && isUnknownBlock(error)) return null
        throw error
      }
    },
  }
}

function isUnknownBlock({ code, message }: RpcError): boolean {
  // The search time grows with the square of the length, and an upstream may send megabytes.
  return code === rpcCodes.resourceNotFound || /\bblock\b.*\bnot found\b/i.test(message.slice(0, 1_000))
}

function withSelector(transaction: unknown): unknown {
  const input = isRecord(transaction) ? transaction['input'] : undefined
  return typeof input === 'string' ? { ...(transaction as object), input: input.slice(0, 10) } : transaction
}

function explorerReceipt(value: unknown): unknown {
  const receipt = normalizeReceipt(value)
  if (!isRecord(receipt)) return receipt
  const { timestamp, blockTimestamp, ...rest } = receipt
  return { ...rest, logs: null, logsBloom: null, timestamp: quantity(timestamp ?? blockTimestamp) }
}
