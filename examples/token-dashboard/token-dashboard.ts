/**
 * An ERC-20 token in a terminal: its metadata, the balances of its holders and its transfers, updated with every block.
 */
import { batch, createEvmClient, http, watchBlocks, webSocket } from '@fairlead/evm-rpc'
import { fairleadTransport } from '@fairlead/evm-rpc/viem'
import { parseArgs } from 'node:util'
import { createPublicClient, erc20Abi, formatUnits, getAddress, getContract } from 'viem'

const { NODE_URL, NODE_TOKEN, TOKEN_ADDRESS, ACCOUNTS } = process.env
if (!NODE_URL || !NODE_TOKEN || !TOKEN_ADDRESS || !ACCOUNTS)
  throw new Error('Set NODE_URL, NODE_TOKEN, TOKEN_ADDRESS and ACCOUNTS')
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: 'Infinity' },
    history: { type: 'string', default: '25' },
    transfers: { type: 'string', default: '5' },
  },
})
const count = Number(values.count)
const history = Number(values.history)
const transfers = Number(values.transfers)
if (!(count >= 1)) throw new Error('--count must be a number from 1 on')
if (!Number.isInteger(history) || history < 0) throw new Error('--history must be a whole number')
if (!Number.isInteger(transfers) || transfers < 0) throw new Error('--transfers must be a whole number')
const accounts = ACCOUNTS.split(',').map((account) => getAddress(account.trim()))

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

// Requests of the same event-loop tick are sent in one batch. New blocks are pushed over a WebSocket.
const node = { url: NODE_URL, auth: { kind: 'token', token: NODE_TOKEN } } as const
const evm = createEvmClient({ transport: batch(http(node)) })
const pushed = webSocket(node)
const client = createPublicClient({ transport: fairleadTransport(evm) })
const token = getContract({ address: getAddress(TOKEN_ADDRESS), abi: erc20Abi, client })

const [name, symbol, decimals] = await Promise.all([
  token.read.name(),
  token.read.symbol(),
  token.read.decimals(),
])
// A contract can choose any name, including terminal control sequences.
const plain = (text: string) => text.replace(/\p{Cc}/gu, '')
const title = `${plain(name)} (${plain(symbol)}), ${decimals} decimals`
const amount = (units: bigint) => `${formatUnits(units, decimals)} ${plain(symbol)}`

let shown = 0
for await (const event of watchBlocks(pushed, { signal: stop.signal })) {
  if (event.type === 'reorg') {
    // The replacement blocks arrive next, and their content is printed then.
    console.log(`reorganization of depth ${event.removed.length}`)
    continue
  }
  await show(BigInt(event.block.number ?? 0))
  if (++shown >= count) break
}
pushed.close()

/** Reads everything at one block with one batch, and prints it. */
async function show(block: bigint): Promise<void> {
  const at = { blockNumber: block }
  const fromBlock = block > history ? block - BigInt(history) : 0n
  const [supply, logs, ...balances] = await Promise.all([
    token.read.totalSupply(at),
    token.getEvents.Transfer({}, { fromBlock, toBlock: block }),
    ...accounts.map((account) => token.read.balanceOf([account], at)),
  ])
  const newestFirst = transfers === 0 ? [] : logs.slice(-transfers).toReversed()
  const lines = [
    `${title}, at block ${block}`,
    `supply    ${amount(supply)}`,
    ...accounts.map((account, index) => `balance   ${account}  ${amount(balances[index] ?? 0n)}`),
    ...newestFirst.map(
      ({ blockNumber, args: { from = '0x', to = '0x', value = 0n } }) =>
        `transfer  ${from} -> ${to}  ${amount(value)}  block ${blockNumber}`,
    ),
  ]
  // On a terminal, the new output replaces the old one. In a pipe, it is appended.
  if (process.stdout.isTTY) console.clear()
  console.log(lines.join('\n'))
}
