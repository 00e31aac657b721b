/**
 * A process that burns jettons until it is killed, for the tests that kill it:
 * `node jetton-burner.ts <data directory>`. It prints the hash of each message once the chain has resolved it.
 */
import { Address } from '@ton/core'
import { createJettonChain } from '../src/jetton/chain/create-jetton-chain.ts'
import { burnBody } from '../src/jetton/jettons/sample-jetton.ts'
import { ChainWallet, defaultValue } from './jetton.ts'

// Small, so that some kills occur while a new journal is written.
const maxJournalGrowth = 64 * 1024

const chain = await createJettonChain({ directory: process.argv[2], secondsPerBlock: 0, maxJournalGrowth })
const wallet = await ChainWallet.ofExample(chain)
const to = Address.parse(chain.example.jetton_wallet)
for (;;) {
  // Several at a time, so that one write includes several of them.
  const messages = Array.from({ length: 3 }, () =>
    wallet.sign({ to, value: defaultValue, body: burnBody(wallet.address, 1n, null) }),
  )
  await Promise.all(
    messages.map(async (message) => {
      const { hash } = await chain.send(message)
      process.stdout.write(`${hash.toString('hex')}\n`)
    }),
  )
}
