import { createHash } from 'node:crypto'
import type { Execution } from './message-executor.ts'
import type { Step, StepRecord, TransactionRecord } from './step.ts'

// Blocks begin at multiples of a million in logical time, as on a network.
const ltStep = 1_000_000n

/** The content of a step of the chain. */
export interface StepContent {
  /** Unix seconds. */
  readonly genUtime: number
  /** Hash and normalized hash of the external message, if there is one. */
  readonly external: StepRecord['external']
  readonly executions: readonly Execution[]
}

/** The logical time at which the next block begins. */
export function nextStartLt(head: Step | undefined): bigint {
  return head === undefined ? 0n : (head.record.endLt / ltStep + 1n) * ltStep
}

/** The random seed of the next block. */
export function nextRandomSeed(head: Step): Buffer {
  return digest('random seed', head.masterchain.rootHash)
}

/**
 * Creates the blocks of the next step.
 *
 * No validator signs this chain. The hashes of a block are digests over all content of the block and of the blocks
 * before it.
 *
 * @param head Latest step; undefined for the genesis.
 * @param lastSeqno Number of the latest basechain block; 0 when there is none.
 * @param content The content of the step.
 */
export function sealStep(head: Step | undefined, lastSeqno: number, content: StepContent): StepRecord {
  const { genUtime, external, executions } = content
  const startLt = nextStartLt(head)
  const last = executions.at(-1)?.transaction
  const endLt = last === undefined ? startLt + 1n : last.lt + BigInt(last.outMessagesCount) + 1n
  const transactions = executions.map(recordOf)
  const sealed = digest(
    'content',
    head?.masterchain.rootHash ?? Buffer.alloc(32),
    Buffer.from(`${genUtime}:${startLt}:${endLt}`),
    ...transactions.map(({ hash }) => hash),
  )
  const block = (name: string, seqno: number) => ({
    seqno,
    rootHash: digest(`${name} root`, sealed),
    fileHash: digest(`${name} file`, sealed),
  })
  return {
    genUtime,
    startLt,
    endLt,
    masterchain: block('masterchain', (head?.masterchain.seqno ?? 0) + 1),
    // The first basechain block is as empty as the genesis that refers to it.
    basechain: head === undefined || external !== undefined ? block('basechain', lastSeqno + 1) : undefined,
    external,
    transactions,
  }
}

function recordOf({
  account,
  transaction,
  hash,
  messageHash,
  before,
  after,
  parent,
  boc,
}: Execution): TransactionRecord {
  return {
    account,
    lt: transaction.lt,
    hash,
    messageHash,
    before: before.summary,
    after: after.summary,
    parent,
    boc,
  }
}

function digest(domain: string, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256').update(domain)
  for (const part of parts) hash.update(part)
  return hash.digest()
}
