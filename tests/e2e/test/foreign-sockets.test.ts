import { ethers } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hash,
  http,
  parseAbiItem,
  webSocket,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, inject, it } from 'vitest'
import { Web3, WebSocketProvider } from 'web3'
import { WebSocket } from 'ws'

const {
  nodes: [node],
} = inject('development')
const origin = node.node_url.replace('http', 'ws')
const tokenUrl = `${origin}/ws/${node.token}`
const authorization = `Basic ${btoa(`${node.username}:${node.password}`)}`

const account = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 7,
})
const wallet = createWalletClient({
  account,
  chain: foundry,
  transport: http(`${node.node_url}/${node.token}`),
})

/** Sends ether until `seen` returns true. Each transaction creates a block. */
async function mineUntil(isReceived: () => boolean): Promise<readonly Hash[]> {
  const hashes: Hash[] = []
  while (!isReceived()) hashes.push(await wallet.sendTransaction({ to: account.address, value: 1n }))
  return hashes
}

describe('viem over a WebSocket', () => {
  it.each(['/ws/<token>', '/<token>', '/<token>/evm', '/ws/<token>/evm'])('works at %s', async (path) => {
    const url = origin + path.replace('<token>', node.token)
    const transport = webSocket(url, { reconnect: false })
    const client = createPublicClient({ transport })
    expect(await client.getChainId()).toBe(31_337)
    const block = await client.getBlock()
    expect((await client.getBlock({ blockHash: block.hash })).number).toBe(block.number)
    const numbers: bigint[] = []
    // viem reads the block of each head and reports it when the response arrives, so blocks may be reordered. A block
    // that it can no longer read when it is stopped is undefined.
    const onBlock = (found: { readonly number: bigint } | undefined) => {
      if (found) numbers.push(found.number)
    }
    const stop = client.watchBlocks({ onBlock })
    await mineUntil(() => numbers.some((number) => numbers.includes(number + 1n)))
    stop()
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

describe('ethers over a WebSocket', () => {
  it.each(['token', 'basic'])('works with %s', async (kind) => {
    const open = () =>
      kind === 'token'
        ? new WebSocket(tokenUrl)
        : new WebSocket(`${origin}/ws`, { headers: { authorization } })
    const provider = new ethers.WebSocketProvider(open)
    try {
      expect((await provider.getNetwork()).chainId).toBe(31_337n)
      const heights: number[] = []
      await provider.on('block', (height: number) => heights.push(height))
      await mineUntil(() => heights.length >= 2)
      expect(heights[1]).toBe((heights[0] ?? 0) + 1)
      expect(await provider.send('ots_getApiLevel', [])).toBe(8)
    } finally {
      await provider.destroy()
    }
  })
})

describe('web3 over a WebSocket', () => {
  it('works with a token', async () => {
    const web3 = new Web3(new WebSocketProvider(tokenUrl, {}, { autoReconnect: false }))
    const heads: bigint[] = []
    const subscription = await web3.eth.subscribe('newBlockHeaders')
    subscription.on('data', ({ number }) => void heads.push(BigInt(number ?? 0)))
    await mineUntil(() => heads.length >= 2)
    expect(heads[1]).toBe((heads[0] ?? 0n) + 1n)
    expect(await web3.eth.getChainId()).toBe(31_337n)
    await subscription.unsubscribe()
    web3.provider?.disconnect()
  })
})

it('viem receives the logs of a contract', async () => {
  const client = createPublicClient({ transport: webSocket(tokenUrl, { reconnect: false }) })
  const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
  const [existing] = await client.getLogs({ event, fromBlock: 0n })
  if (!existing) throw new Error('the chain has no sample token')
  const received: Hash[] = []
  const stop = client.watchEvent({
    address: existing.address,
    event,
    onLogs: (logs) => received.push(...logs.map(({ transactionHash }) => transactionHash)),
  })
  // Transfers nothing, but emits a log.
  const transfer = encodeFunctionData({
    abi: [parseAbiItem('function transfer(address to, uint256 value) returns (bool)')],
    args: [account.address, 0n],
  })
  const sent: Hash[] = []
  while (received.length === 0) {
    sent.push(await wallet.sendTransaction({ to: existing.address, data: transfer }))
  }
  stop()
  expect(sent).toContain(received[0])
})
