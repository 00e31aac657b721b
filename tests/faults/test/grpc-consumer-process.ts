/**
 * Reads transactions until it is killed: writes each one to a file, and its checkpoint to another one. Arguments: the
 * URL, the token, and the two files.
 */
import { createGrpcClient } from '@fairlead/grpc'
import { CommitmentLevel, GeyserDefinition } from '@fairlead/grpc/geyser'
import { type Checkpoint, type CheckpointStore, subscribeGeyser } from '@fairlead/grpc/solana'
import { appendFileSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { itemOf } from './grpc-update.ts'

const [, , url = '', token = '', outputFile = '', checkpointFile = ''] = process.argv

const store: CheckpointStore = {
  async load() {
    try {
      return JSON.parse(readFileSync(checkpointFile, 'utf8')) as Checkpoint
    } catch {
      return undefined
    }
  },
  async save(checkpoint) {
    await writeFile(`${checkpointFile}.new`, JSON.stringify(checkpoint))
    await rename(`${checkpointFile}.new`, checkpointFile)
  },
}
const client = createGrpcClient(GeyserDefinition, { url, auth: { kind: 'x-token', token } })
const filters = {
  transactions: { all: {} },
  blocksMeta: { all: {} },
  commitment: CommitmentLevel.CONFIRMED,
}
const options = { checkpoint: store, reconnect: { initialMs: 50, maxMs: 500 } }
process.stdout.write('reading\n')
for await (const update of subscribeGeyser(client, filters, options)) {
  const received = itemOf(update)
  // A transaction counts as read once it is in the file.
  if (received) appendFileSync(outputFile, `${received.slot} ${received.id}\n`)
}
