/**
 * Runs a chain with short slots until it is killed, and writes a line for each reported event. Started with the
 * directory of the chain.
 */
import { writeSync } from 'node:fs'
import { createSolanaChain } from '../src/solana/chain/create-solana-chain.ts'

const [, , directory = ''] = process.argv
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const report = (line: readonly unknown[]) => writeSync(1, `${JSON.stringify(line)}\n`)

const chain = await createSolanaChain({
  directory,
  secondsPerSlot: 0.02,
  branching: true,
  finalityBlocks: 4,
  maxJournalGrowth: 200_000,
  onLost: (error) => {
    throw error
  },
})
chain.listen((event) => {
  if (event.kind === 'transaction') {
    const writes = event.accounts.map(({ pubkey, lamports }) => `${hex(pubkey)} ${lamports}`)
    report(['sent', hex(event.transaction.signature), writes.join()])
  }
  if (event.kind === 'slot-made') report(['made', String(event.content.slot), event.content.meta.blockhash])
})
