/**
 * Stores the transfers of a token in SQLite, and keeps the table consistent with the chain across reorganizations and
 * restarts.
 */
import { createEvmClient, FairleadError, type LogPosition, toNumber, watchLogs } from '@fairlead/evm-rpc'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openTransfers } from './transfers-table.ts'

const { NODE_URL, NODE_TOKEN, TOKEN_ADDRESS } = process.env
if (!NODE_URL || !NODE_TOKEN || !TOKEN_ADDRESS) throw new Error('Set NODE_URL, NODE_TOKEN and TOKEN_ADDRESS')
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: '.fairlead/example-indexer.db' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: 'Infinity' },
  },
})
const count = Number(values.count)
if (!(count >= 1)) throw new Error('--count must be a number from 1 on')

const stop = new AbortController()
const { signal } = stop
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())

// No user waits for these rows, so polling for new blocks is sufficient.
const evm = createEvmClient({ url: NODE_URL, auth: { kind: 'token', token: NODE_TOKEN } })
const token = TOKEN_ADDRESS.toLowerCase()
const chain = await evm.request({ method: 'eth_chainId', params: [] })
const table = openTransfers(values.database, chain, token)

// keccak256 of Transfer(address,address,uint256)
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const filter = { address: token, topics: [transferTopic] }

let events = 0
while (!signal.aborted) {
  const from = (await rollBack()) ?? Number(values.from)
  try {
    for await (const { type, log } of watchLogs(evm, filter, { from, pollingMs: 1_000, signal })) {
      if (type === 'log') table.add(log)
      else table.remove(log)
      report(type === 'log' ? '+' : '-', log)
      if (++events >= count) stop.abort()
    }
  } catch (error) {
    // The node no longer has the logs that a reorganization removed, so the table is compared with the chain again.
    if (!FairleadError.is(error, 'STREAM_GAP')) throw error
  }
}
console.log(`${table.count()} transfers in ${values.database}`)
table.close()

/**
 * Removes blocks at the end of the table that were reorganized out while the indexer was not running, and that a node
 * may no longer have. A block counts as reorganized out only if the chain has a different block at its height.
 *
 * @returns the position to resume from
 */
async function rollBack(): Promise<LogPosition | undefined> {
  for (let last = table.last(); last; last = table.last()) {
    const hash = await hashAt(last.blockNumber)
    if (hash === undefined || hash === last.blockHash) return last
    const removed = table.removeBlock(last.blockHash)
    console.log(`- block ${toNumber(last.blockNumber)} all ${removed}  is no longer on the chain`)
  }
  return undefined
}

/**
 * Returns the hash of the block at a height, as soon as the node has one. Undefined when the program is to end before.
 */
async function hashAt(blockNumber: LogPosition['blockNumber']): Promise<string | undefined> {
  for (let tries = 0; !signal.aborted; tries++) {
    const block = await evm.request({ method: 'eth_getBlockByNumber', params: [blockNumber, false] })
    if (block?.hash) return block.hash
    if (tries === 0) console.error(`the node has no block ${toNumber(blockNumber)} yet; retrying`)
    await pause(1_000, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}

function report(
  sign: '+' | '-',
  { blockNumber, logIndex, transactionHash }: LogPosition & { transactionHash: string | null },
): void {
  console.log(`${sign} block ${toNumber(blockNumber)} log ${toNumber(logIndex)}  ${transactionHash}`)
}
