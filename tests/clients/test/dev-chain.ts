import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvmExample, startDevnet } from '@fairlead/devnet'
import type { BlockWithHashes, Log } from '@fairlead/evm-rpc'

/** A real chain, with methods that mine and reorganize. */
export interface DevChain {
  readonly url: string
  readonly example: EvmExample
  call<result = unknown>(method: string, ...params: unknown[]): Promise<result>
  /** Mines one block with the given number of token transfers, each of which has one log. */
  mine(transfers?: number): Promise<void>
  /** Replaces the latest blocks with others, some of which contain a transfer. */
  reorganize(depth: number): Promise<void>
  height(): Promise<number>
  block(number: number): Promise<BlockWithHashes>
  logs(from: number, to: number): Promise<Log[]>
  stop(): Promise<void>
}

export async function startDevChain(): Promise<DevChain> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-streams-'))
  const devnet = await startDevnet({ dataDirectory, chains: ['evm'] })
  const [first] = devnet.chains
  if (!first) throw new Error('the devnet has no chain')
  const { url, example } = first
  let amount = 0
  const transfer = () => ({
    from: example.account,
    to: example.contract,
    data: `0xa9059cbb${example.recipient.slice(2).padStart(64, '0')}${(++amount).toString(16).padStart(64, '0')}`,
    gas: '0x30d40',
  })
  const call = async <result>(method: string, ...params: unknown[]): Promise<result> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body })
    const parsed = (await response.json()) as { result: result; error?: unknown }
    if (parsed.error) throw new Error(`${method}: ${JSON.stringify(parsed.error)}`)
    return parsed.result
  }
  await call('evm_setAutomine', false)
  return {
    url,
    example,
    call,
    async mine(transfers = 0) {
      for (let sent = 0; sent < transfers; sent++) await call('eth_sendTransaction', transfer())
      await call('evm_mine')
    },
    async reorganize(depth) {
      const pairs = Array.from({ length: depth }, (_, index) => [transfer(), index])
      await call('anvil_reorg', depth, pairs.slice(0, Math.ceil(depth / 2)))
    },
    height: async () => Number(await call<string>('eth_blockNumber')),
    block: (number) => call('eth_getBlockByNumber', `0x${number.toString(16)}`, false),
    logs: (from, to) =>
      call('eth_getLogs', { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }),
    async stop() {
      await devnet.stop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}
