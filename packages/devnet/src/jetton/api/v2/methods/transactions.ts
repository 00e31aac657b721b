import type { Address, Transaction } from '@ton/core'
import type { Block, ChainTransaction, JettonChain } from '../../../chain/jetton-chain.ts'
import { writeHash } from '../../cells/hash.ts'
import { writeRawAddress } from '../../cells/address.ts'
import { writeBlockId, writeTransactionId } from '../block-id.ts'
import { Failure } from '../../failure.ts'
import { writeRows } from '../../write-rows.ts'
import { invalid, liteServerFailure } from '../failure.ts'
import { namedBlock } from '../find-block.ts'
import { reading, type Methods } from '../method.ts'
import {
  accountId,
  address,
  boolean,
  count,
  int32,
  int64,
  logicalTime,
  optional,
  optionalHash,
  positive,
  withDefault,
  type Values,
} from '../parameters.ts'
import { writeTransaction } from '../write-transaction.ts'

const history = {
  address,
  lt: optional(logicalTime),
  hash: optionalHash,
  to_lt: withDefault(logicalTime, 0n),
  limit: withDefault(count(1000), 10),
  // Every stored transaction is available locally, so there is no archival server to query.
  archival: withDefault(boolean, false),
}

const ofBlock = {
  workchain: int32,
  shard: int64,
  seqno: positive,
  root_hash: optionalHash,
  file_hash: optionalHash,
  after_lt: optional(logicalTime),
  after_hash: accountId,
  count: withDefault(count(10_000), 40),
}

const ofMessage = { source: address, destination: address, created_lt: logicalTime }

const locateResult = reading(ofMessage, (chain, { source, destination, created_lt }) => {
  const sender = senderOf(chain, source, created_lt)
  const account = destination.toRawString()
  const found = sender?.children.find(
    (transaction) => transaction.account === account && hasInMessage(transaction.parse(), created_lt),
  )
  return writeTransaction(require(found), 'legacy')
})

/** Methods about transactions. */
export const transactionMethods: Methods = {
  getBlockTransactions: reading(ofBlock, (chain, values) => {
    const { block, incomplete, transactions } = blockPage(chain, values)
    return {
      '@type': 'blocks.transactions',
      id: writeBlockId(block),
      req_count: values.count,
      incomplete,
      transactions: transactions.map((transaction) => ({
        '@type': 'blocks.shortTxId',
        // Account, logical time and hash are present, and the list began after a pivot.
        mode: 135,
        account: writeRawAddress(transaction.account),
        lt: `${transaction.lt}`,
        hash: writeHash(transaction.hash),
      })),
    }
  }),
  getBlockTransactionsExt: reading(ofBlock, async (chain, values) => {
    const { block, incomplete, transactions } = blockPage(chain, values)
    return {
      '@type': 'blocks.transactionsExt',
      id: writeBlockId(block),
      req_count: values.count,
      incomplete,
      transactions: await writeRows(transactions, (transaction) => writeTransaction(transaction, 'ext')),
    }
  }),
  getTransactions: reading(history, (chain, values) => {
    // The older method treats a logical time of zero as absent.
    const lt = values.lt === 0n ? undefined : values.lt
    return writeRows(historyPage(chain, { ...values, lt }), (transaction) =>
      writeTransaction(transaction, 'legacy'),
    )
  }),
  getTransactionsStd: reading(history, async (chain, values) => {
    const page = historyPage(chain, values)
    const last = page.at(-1)?.parse()
    return {
      '@type': 'raw.transactions',
      transactions: await writeRows(page, (transaction) => writeTransaction(transaction, 'std')),
      previous_transaction_id: writeTransactionId(
        last?.prevTransactionLt ?? 0n,
        last?.prevTransactionHash ?? 0n,
      ),
    }
  }),
  tryLocateTx: locateResult,
  tryLocateResultTx: locateResult,
  tryLocateSourceTx: reading(ofMessage, (chain, { source, destination, created_lt }) => {
    const sender = senderOf(chain, source, created_lt)
    const isFound = sender !== undefined && sentOut(sender.parse(), destination, created_lt)
    return writeTransaction(require(isFound ? sender : undefined), 'legacy')
  }),
}

// The logical times of a transaction's messages follow its own.
function senderOf(chain: JettonChain, source: Address, createdLt: bigint): ChainTransaction | undefined {
  return chain.transactionsOf(source).findLast((transaction) => transaction.lt < createdLt)
}

function historyPage(
  chain: JettonChain,
  values: Omit<Values<typeof history>, 'archival'>,
): readonly ChainTransaction[] {
  const { lt, hash: id, to_lt, limit } = values
  if ((lt === undefined) !== (id === undefined)) throw invalid('lt and hash should be used together')
  const all = chain.transactionsOf(values.address)
  const first =
    lt === undefined
      ? all.length - 1
      : all.findIndex(
          (transaction) => transaction.lt === lt && transaction.hash.equals(id ?? transaction.hash),
        )
  if (lt !== undefined && first === -1) {
    throw liteServerFailure(`cannot compute block with specified transaction: lt not in db`)
  }
  return all
    .slice(Math.max(0, first + 1 - limit), first + 1)
    .filter((transaction) => transaction.lt > to_lt)
    .toReversed()
}

interface BlockPage {
  readonly block: Block
  readonly incomplete: boolean
  readonly transactions: readonly ChainTransaction[]
}

function blockPage(chain: JettonChain, values: Values<typeof ofBlock>): BlockPage {
  const { after_lt, after_hash } = values
  if ((after_lt === undefined) !== (after_hash === undefined)) {
    throw invalid('after_lt and after_hash should be used together')
  }
  const block = namedBlock(chain, values)
  const pivot = after_hash?.toString('hex') ?? ''
  // A block orders its transactions by account, and those of one account by logical time.
  const following = block.transactions
    .map((transaction) => ({
      transaction,
      id: transaction.account.slice(transaction.account.indexOf(':') + 1),
    }))
    .filter(({ transaction, id }) => id > pivot || (id === pivot && transaction.lt > (after_lt ?? 0n)))
    .toSorted(
      (left, right) => compare(left.id, right.id) || compare(left.transaction.lt, right.transaction.lt),
    )
  return {
    block,
    incomplete: following.length > values.count,
    transactions: following.slice(0, values.count).map(({ transaction }) => transaction),
  }
}

function compare<value extends string | bigint>(left: value, right: value): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function hasInMessage({ inMessage }: Transaction, createdLt: bigint): boolean {
  return inMessage?.info.type === 'internal' && inMessage.info.createdLt === createdLt
}

function sentOut({ outMessages }: Transaction, destination: Address, createdLt: bigint): boolean {
  return outMessages
    .values()
    .some(
      ({ info }) => info.type === 'internal' && info.createdLt === createdLt && info.dest.equals(destination),
    )
}

function require(found: ChainTransaction | undefined): ChainTransaction {
  if (found === undefined) throw new Failure(404, 'transaction was not found')
  return found
}
