import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { evmNode, transfers } from './evm.ts'
import { run, start } from './example.ts'
import { startRelay } from './relay.ts'

const database = 'transfers.db'

/** What the table holds, in the order of the chain. */
function rows(): readonly object[] {
  const open = new DatabaseSync(join(inject('folder'), database), { readOnly: true })
  try {
    return open
      .prepare('SELECT * FROM transfers ORDER BY block_number, log_index')
      .all()
      .map((row) => ({ ...row }))
  } finally {
    open.close()
  }
}

/** What it should hold. */
async function chain(): Promise<readonly object[]> {
  const addressIn = (topic = '') => `0x${topic.slice(26)}`
  return (await transfers()).map((log) => ({
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

const agree = () => vi.waitFor(async () => expect(rows()).toEqual(await chain()), { timeout: 20_000 })

// The tests follow one another: each goes on with the table that the one before it has left.

it('holds what the chain holds, across a cut and a reorganization', async () => {
  const { node_url, token, example } = evmNode()
  const relay = await startRelay(node_url)
  onTestFinished(() => relay.close())
  const variables = { NODE_URL: relay.url, NODE_TOKEN: token, TOKEN_ADDRESS: example['contract'] ?? '' }
  const indexer = start(['indexer', '--database', database], { variables })
  await indexer.printed(/^\+ block/, (await transfers()).length)
  await agree()

  const mend = relay.cut()
  await run(['activity', 'transfers', '--count', '2'])
  expect(rows()).not.toEqual(await chain())
  mend()
  await agree()

  const before = rows()
  await run(['activity', 'reorg', '2'])
  await indexer.printed(/^- block/, 2)
  await agree()
  const now = rows()
  expect(now).toHaveLength(before.length)
  expect(now.slice(0, -2)).toEqual(before.slice(0, -2))
  expect(now.at(-1)).not.toEqual(before.at(-1))

  const { code, lines } = await indexer.ended('SIGINT')
  expect(code).toBe(0)
  expect(lines.at(-1)).toBe(`${now.length} transfers in ${database}`)
})

it('goes on after a restart where it was', async () => {
  const before = rows().length
  await run(['activity', 'transfers', '--count', '1'])
  const { code, lines } = await run(['indexer', '--database', database, '--count', '1'])
  expect(code).toBe(0)
  expect(lines).toEqual([expect.stringMatching(/^\+ block/), `${before + 1} transfers in ${database}`])
  await agree()
})

it('takes back what was reorganized while it did not run', async () => {
  await run(['activity', 'reorg', '2'])
  expect(rows()).not.toEqual(await chain())
  const { code, lines } = await run(['indexer', '--database', database, '--count', '2'])
  expect(code).toBe(0)
  expect(
    lines.filter((line) => /^- block \d+ all 1 {2}is not on the chain any more$/.test(line)),
  ).toHaveLength(2)
  await agree()
})
