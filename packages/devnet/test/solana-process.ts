/**
 * Runs a chain with short slots until it is killed, and writes a line for each reported event. Started with the
 * directory of the chain.
 */
import { writeSync } from 'node:fs'
import { createSolanaChain } from '../src/solana/chain/create-solana-chain.ts'

const [, , directory = ''] = process.argv
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const tell = (line: readonly unknown[]) => writeSync(1, `${JSON.stringify(line)}\n`)

const chain = await createSolanaChain({
  directory,
  secondsPerSlot: 0.02,
  branching: true,
  finalityBlocks: 4,
  mostJournalGrowth: 200_000,
  onLost: (error) => {
    throw error
  },
})
chain.listen((event) => {
  if (event.kind === 'transaction') {
    const writes = event.accounts.map(({ pubkey, lamports }) => `${hex(pubkey)} ${lamports}`)
    tell(['sent', hex(event.transaction.signature), writes.join()])
  }
  if (event.kind === 'slot-made') tell(['made', String(event.content.slot), event.content.meta.blockhash])
})
