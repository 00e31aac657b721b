import { type LogPosition, type MinedLog, toNumber, toQuantity } from '@fairlead/evm-rpc'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The transfers of one token on one chain. The latest row marks how far the chain was read. */
export interface TransfersTable {
  /** Adds the transfer of a log. */
  add(log: MinedLog): void
  /** Removes a transfer that was reorganized out. */
  remove(log: LogPosition): void
  /** Removes all transfers of a block. Returns their number. */
  removeBlock(hash: string): number
  /** The latest transfer. Undefined while there is none. */
  last(): LogPosition | undefined
  count(): number
  close(): void
}

/**
 * Opens the table in a file, which may hold several tokens of several chains.
 *
 * @param path - database file, created if it does not exist
 * @param chain - result of `eth_chainId`, so that a node of another chain removes nothing
 * @param token - address of the token
 */
export function openTransfers(path: string, chain: string, token: string): TransfersTable {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path)
  // A position on the chain holds one log: the key rejects a second one from another branch. Amounts have 256 bits, for
  // which SQLite has no numeric type: they are decimal text.
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS transfers (
      chain TEXT NOT NULL,
      token TEXT NOT NULL,
      block_number INTEGER NOT NULL,
      log_index INTEGER NOT NULL,
      block_hash TEXT NOT NULL,
      transaction_hash TEXT NOT NULL,
      sender TEXT NOT NULL,
      recipient TEXT NOT NULL,
      amount TEXT NOT NULL,
      PRIMARY KEY (chain, token, block_number, log_index)
    ) STRICT, WITHOUT ROWID`)
  const add = database.prepare('INSERT INTO transfers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const remove = database.prepare(
    'DELETE FROM transfers WHERE chain = ? AND token = ? AND block_number = ? AND log_index = ? AND block_hash = ?',
  )
  const removeBlock = database.prepare(
    'DELETE FROM transfers WHERE chain = ? AND token = ? AND block_hash = ?',
  )
  const last = database.prepare(`
    SELECT block_number, log_index, block_hash FROM transfers WHERE chain = ? AND token = ?
    ORDER BY block_number DESC, log_index DESC LIMIT 1`)
  const count = database.prepare('SELECT count(*) AS count FROM transfers WHERE chain = ? AND token = ?')
  return {
    add({ blockNumber, logIndex, blockHash, transactionHash, topics: [, from, to], data }) {
      const key = [chain, token, toNumber(blockNumber), toNumber(logIndex), blockHash]
      add.run(...key, transactionHash ?? '', addressIn(from), addressIn(to), BigInt(data).toString())
    },
    remove({ blockNumber, logIndex, blockHash }) {
      remove.run(chain, token, toNumber(blockNumber), toNumber(logIndex), blockHash)
    },
    removeBlock: (hash) => Number(removeBlock.run(chain, token, hash).changes),
    last() {
      const row = last.get(chain, token)
      return (
        row && {
          blockNumber: toQuantity(Number(row['block_number'])),
          logIndex: toQuantity(Number(row['log_index'])),
          blockHash: String(row['block_hash']),
        }
      )
    },
    count: () => Number(count.get(chain, token)?.['count']),
    close: () => database.close(),
  }
}

/** Returns the address at the end of a 32-byte topic. */
function addressIn(topic = ''): string {
  return `0x${topic.slice(26)}`
}
