/**
 * Prints the blocks and transactions of a Solana node as they are confirmed, without a gap when the connection drops.
 */
import { createGrpcClient } from '@fairlead/grpc'
import {
  CommitmentLevel,
  GeyserDefinition,
  type SubscribeUpdateBlockMeta,
  type SubscribeUpdateTransaction,
} from '@fairlead/grpc/geyser'
import {
  decodeTransactionError,
  encodeBase58,
  type GeyserNotice,
  subscribeGeyser,
} from '@fairlead/grpc/solana'
import { parseArgs } from 'node:util'

const { NODE_URL, NODE_TOKEN } = process.env
if (!NODE_URL || !NODE_TOKEN) throw new Error('Set NODE_URL and NODE_TOKEN')
const { values } = parseArgs({ options: { count: { type: 'string', default: 'Infinity' } } })
const count = Number(values.count)
if (!(count >= 1)) throw new Error('--count must be a number from 1 on')

const geyser = createGrpcClient(GeyserDefinition, {
  url: NODE_URL,
  auth: { kind: 'x-token', token: NODE_TOKEN },
})
const filters = {
  blocksMeta: { all: {} },
  transactions: { all: { vote: false } },
  commitment: CommitmentLevel.CONFIRMED,
}
// Slots that a node no longer has after a reconnect are reported as a gap, and the stream continues.
const updates = subscribeGeyser(geyser, filters, { onGap: 'resume', onNotice: printNotice })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void updates.return())

let blocks = 0
for await (const { updateOneof } of updates) {
  if (updateOneof.$case === 'transaction') {
    printTransaction(updateOneof.value)
  } else {
    printBlock(updateOneof.value)
    if (++blocks >= count) break
  }
}
await geyser.close()

function printBlock({ slot, blockhash, executedTransactionCount }: SubscribeUpdateBlockMeta): void {
  console.log(`block  slot ${slot}  ${blockhash}  ${executedTransactionCount} transactions`)
}

function printTransaction({ slot, transaction }: SubscribeUpdateTransaction): void {
  const { signature = new Uint8Array(), meta } = transaction ?? {}
  const failure = meta?.err && decodeTransactionError(meta.err.err)
  const status = failure ? `failed: ${reasonOf(failure)}` : 'ok'
  console.log(`tx     slot ${slot}  ${encodeBase58(signature)}  fee ${meta?.fee}  ${status}`)
}

function reasonOf(failure: ReturnType<typeof decodeTransactionError>): string {
  if (failure.name !== 'InstructionError') return failure.name
  const { error, instructionIndex } = failure
  return `instruction ${instructionIndex}: ${error.name}${error.name === 'Custom' ? ` ${error.code}` : ''}`
}

/** Prints what happens to the subscription. No notice requires an action. */
function printNotice(notice: GeyserNotice): void {
  if (notice.kind === 'disconnected')
    console.log(`-- connection lost, again in ${Math.round(notice.delayMs)} ms`)
  else if (notice.kind === 'resumed') console.log(`-- resumed from slot ${notice.fromSlot}`)
  else if (notice.kind === 'gap') console.log(`-- slots ${notice.from} to ${notice.to} may be missing`)
  else if (notice.kind === 'fork') console.log(`-- slot ${notice.slot} is not what it was`)
}
