import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { call, evmNode, transfers } from './evm.ts'
import { startNode } from './evm-node.ts'
import { run, start } from './example.ts'
import { startRelay } from './relay.ts'

/** Returns the name of a database that does not exist yet, also on a retry of the test. */
const newDatabase = () => `transfers-${crypto.randomUUID()}.db`

/** Creates a database with all existing transfers. */
async function filledDatabase(): Promise<string> {
  const database = newDatabase()
  const { length } = await transfers()
  expect((await run(['indexer', '--database', database, '--count', String(length)])).code).toBe(0)
  return database
}

/** The rows of the table, in chain order. */
function rowsOf(database: string): readonly object[] {
  const connection = new DatabaseSync(join(inject('folder'), database), { readOnly: true })
  try {
    return connection
      .prepare('SELECT * FROM transfers ORDER BY block_number, log_index')
      .all()
      .map((row) => ({ ...row }))
  } finally {
    connection.close()
  }
}

/** The expected rows. */
async function chain(): Promise<readonly object[]> {
  const addressIn = (topic = '') => `0x${topic.slice(26)}`
  const id = await call<string>('eth_chainId')
  return (await transfers()).map((log) => ({
    chain: id,
    token: evmNode().example['contract']?.toLowerCase(),
    block_number: Number(log.blockNumber),
    log_index: Number(log.logIndex),
    block_hash: log.blockHash,
    transaction_hash: log.transactionHash,
    sender: addressIn(log.topics[1]),
    recipient: addressIn(log.topics[2]),
    amount: BigInt(log.data).toString(),
  }))
}

const agree = (database: string) =>
  vi.waitFor(async () => expect(rowsOf(database)).toEqual(await chain()), { timeout: 20_000 })

it('stores the transfers of the chain, across a lost connection and a reorganization', async () => {
  const database = newDatabase()
  const { node_url, token, example } = evmNode()
  const relay = await startRelay(node_url)
  onTestFinished(() => relay.close())
  const variables = { NODE_URL: relay.url, NODE_TOKEN: token, TOKEN_ADDRESS: example['contract'] ?? '' }
  const indexer = start(['indexer', '--database', database], { variables })
  await indexer.printed(/^\+ block/, (await transfers()).length)
  await agree(database)

  const restore = relay.disconnect()
  await run(['activity', 'transfers', '--count', '2'])
  expect(rowsOf(database)).not.toEqual(await chain())
  restore()
  await agree(database)

  const before = rowsOf(database)
  await run(['activity', 'reorg', '2'])
  await indexer.printed(/^- block/, 2)
  await agree(database)
  const currentRows = rowsOf(database)
  expect(currentRows).toHaveLength(before.length)
  expect(currentRows.slice(0, -2)).toEqual(before.slice(0, -2))
  expect(currentRows.at(-1)).not.toEqual(before.at(-1))

  const { code, lines } = await indexer.waitForExit('SIGINT')
  expect(code).toBe(0)
  expect(lines.at(-1)).toBe(`${currentRows.length} transfers in ${database}`)
})

it('resumes after a restart', async () => {
  const database = await filledDatabase()
  const before = rowsOf(database).length
  await run(['activity', 'transfers', '--count', '1'])
  const { code, lines } = await run(['indexer', '--database', database, '--count', '1'])
  expect(code).toBe(0)
  expect(lines).toEqual([expect.stringMatching(/^\+ block/), `${before + 1} transfers in ${database}`])
  await agree(database)
})

it('removes transfers that were reorganized while it was stopped', async () => {
  const database = await filledDatabase()
  await run(['activity', 'reorg', '2'])
  expect(rowsOf(database)).not.toEqual(await chain())
  const { code, lines } = await run(['indexer', '--database', database, '--count', '2'])
  expect(code).toBe(0)
  expect(lines.filter((line) => /^- block \d+ all 1 {2}is no longer on the chain$/.test(line))).toHaveLength(
    2,
  )
  await agree(database)
})

it('removes nothing when a node lags', async () => {
  const database = await filledDatabase()
  const before = rowsOf(database)
  const node = await startNode({ eth_getBlockByNumber: null })
  onTestFinished(() => node.close())
  const indexer = start(['indexer', '--database', database], { variables: node.variables })
  await indexer.printed(/^the node has no block \d+ yet; retrying$/)
  expect(rowsOf(database)).toEqual(before)
  node.forwardUnchanged()
  await run(['activity', 'transfers', '--count', '1'])
  await indexer.printed(/^\+ block/)
  const { code, lines } = await indexer.waitForExit('SIGINT')
  expect(code).toBe(0)
  expect(lines.filter((line) => line.startsWith('-'))).toEqual([])
  await agree(database)
})

it('does not overwrite the rows of another chain', async () => {
  const database = await filledDatabase()
  const before = rowsOf(database)
  const node = await startNode({ eth_chainId: '0xffff1' })
  onTestFinished(() => node.close())
  const argv = ['indexer', '--database', database, '--count', '1']
  const { code, lines } = await run(argv, { variables: node.variables })
  expect(code).toBe(0)
  expect(lines.at(-1)).toBe(`1 transfers in ${database}`)
  expect(rowsOf(database)).toEqual(expect.arrayContaining([...before]))
  expect(rowsOf(database)).toHaveLength(before.length + 1)
})
