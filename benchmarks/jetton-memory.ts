// The memory cost of the history of the embedded jetton chain: memory after fixed numbers of transactions, with the
// default bounds of the chain.
import { Address, internal, type MessageRelaxed, toNano } from '@ton/core'
import { burn, jettonTransfer, openWallet, startJettonChain } from './fixtures/jetton-chain.ts'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'

const maxTransactions = Number(process.env['TRANSACTIONS'] ?? 10_000)
const step = 2_000
const receivers = Array.from({ length: 50 }, (_, index) => new Address(0, Buffer.alloc(32, index + 1)))

interface Memory {
  readonly transactions: number
  readonly heapMb: number
  readonly externalMb: number
  readonly rssMb: number
  readonly cpuMsPerTransaction: number
}

const chain = await startJettonChain()
const send = await openWallet(chain)
let sent = 0
const inTrace = await transactionsIn(await sendMessages())
let transactions = inTrace

const rows: Memory[] = [await measured(0)]
for (let target = step; target <= maxTransactions; target += step) {
  const before = cpuMs(chain.processId)
  const first = transactions
  while (transactions < target) {
    await sendMessages()
    transactions += inTrace
  }
  rows.push(await measured((cpuMs(chain.processId) - before) / (transactions - first)))
}
report()
await chain.stop()

/** Sends coins to one account and jettons to another, and burns jettons. */
function sendMessages(): Promise<string> {
  const to = receivers[sent++ % receivers.length] ?? Address.parse(chain.example.wallet)
  const coins: MessageRelaxed = internal({ to, value: toNano('0.01'), bounce: false })
  return send([coins, coins, jettonTransfer(chain.example, to), burn(chain.example, `Burn number ${sent}`)])
}

async function transactionsIn(hash: string): Promise<number> {
  const response = await fetch(`${chain.url}/api/v3/traces?msg_hash=${encodeURIComponent(hash)}`)
  const { traces } = (await response.json()) as { traces: [{ trace_info: { transactions: number } }] }
  return traces[0].trace_info.transactions
}

async function measured(cpuMsPerTransaction: number): Promise<Memory> {
  const heap = await chain.heap()
  return { transactions, ...heap, rssMb: memoryMb(chain.processId), cpuMsPerTransaction }
}

function report(): void {
  console.log(`${inTrace} transactions for each message from outside; the heap after a collection`)
  console.log('transactions   heap MB  external MB   resident MB   CPU ms a transaction')
  for (const { transactions: count, heapMb, externalMb, rssMb, cpuMsPerTransaction } of rows) {
    const cells = [heapMb.toFixed(1), externalMb.toFixed(1), rssMb.toFixed(0), cpuMsPerTransaction.toFixed(2)]
    console.log([String(count), ...cells].map((cell) => cell.padStart(12)).join(' '))
  }
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return
  const grown = (last.transactions - first.transactions) / 1_000
  const perThousand = (of: (memory: Memory) => number) => ((of(last) - of(first)) / grown).toFixed(2)
  const heap = perThousand(({ heapMb, externalMb }) => heapMb + externalMb)
  console.log(
    `MB for each 1,000 transactions: ${heap} of heap, ${perThousand(({ rssMb }) => rssMb)} resident`,
  )
}
