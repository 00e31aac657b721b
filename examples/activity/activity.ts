/** Triggers activity on the embedded chains for other examples to show: transfers, a reorganization, a burn. */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: 'Infinity' }, comment: { type: 'string', default: '' } },
})
const [action = 'transfers', argument = '1'] = positionals

if (action === 'transfers') await transfers(Number(values.count))
else if (action === 'reorg') await reorganize(Number(argument))
else if (action === 'burn') await burn()
else throw new Error('the action must be transfers, reorg or burn')

/** Sends tokens once a second. Each transfer is a separate block. */
async function transfers(count: number): Promise<void> {
  if (!(count >= 1)) throw new Error('--count must be a number from 1 on')
  const { call, transfer } = engine()
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  for (let sent = 0; sent < count && !stop.signal.aborted; sent++) {
    // There is no pause after the last transfer.
    if (sent > 0) await pause(1_000, undefined, { signal: stop.signal }).catch(() => undefined)
    if (!stop.signal.aborted) console.log('transfer ', await call('eth_sendTransaction', [transfer()]))
  }
}

/** Replaces the latest blocks with others, each with a transfer. */
async function reorganize(depth: number): Promise<void> {
  if (!Number.isInteger(depth) || depth < 1) throw new Error('the depth must be a whole number from 1 on')
  const { call, transfer } = engine()
  await call('anvil_reorg', [depth, Array.from({ length: depth }, (_, block) => [transfer(), block])])
  console.log('replaced ', depth, 'blocks, up to block', Number(await call('eth_blockNumber', [])))
}

/** Burns some of the sample jetton. */
async function burn(): Promise<void> {
  // The wallet libraries of that chain take a moment to load, so they load only for this action.
  const { burnJetton } = await import('./burn-jetton.ts')
  await burnJetton(nodeOf('jetton'), argument, values.comment)
  console.log('burned   ', argument)
}

/**
 * The engine of the EVM chain. The gateway exposes no method that changes a chain without the knowledge of its clients.
 */
function engine() {
  const { account, contract, recipient } = nodeOf('evm').example
  const url = `http://127.0.0.1:${readFileSync('.fairlead/evm/port', 'utf8').trim()}`
  const headers = { 'content-type': 'application/json' }
  return {
    /** A call of `transfer(address,uint256)` of the sample token, usually with an amount that was not used before. */
    transfer(): object {
      // Up to ten tokens with 18 decimals.
      const amount = BigInt(randomInt(1, 100_000)) * 10n ** 14n
      const word = (hex: string) => hex.padStart(64, '0')
      const data = `0xa9059cbb${word(recipient.slice(2))}${word(amount.toString(16))}`
      return { from: account, to: contract, data, gas: '0x30d40' }
    },
    async call(method: string, params: readonly unknown[]): Promise<unknown> {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const { result, error } = await (await fetch(url, { method: 'POST', headers, body })).json()
      if (error) throw new Error(`${method}: ${error.message}`)
      return result
    },
  }
}

/** Returns the node of a chain from the description that `npm start` has written. */
function nodeOf(name: string) {
  const { nodes } = JSON.parse(readFileSync('.fairlead/dev.json', 'utf8'))
  const node = nodes.find(({ chain }: { chain: string }) => chain === name)
  if (!node) throw new Error(`the gateway runs without its ${name} chain`)
  return node
}
