import { sampleTokenAbi } from '@fairlead/devnet'
import { createEvmClient, createProvider, type EvmClient, http, webSocket } from '@fairlead/evm-rpc'
import { FairleadProvider } from '@fairlead/evm-rpc/ethers'
import { fairleadTransport } from '@fairlead/evm-rpc/viem'
import { BrowserProvider, Contract, isError } from 'ethers'
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type Hex,
  HttpRequestError,
  InvalidParamsRpcError,
  RpcRequestError,
} from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type DevChain, startDevChain } from './dev-chain.ts'
import { type NodeProxy, startNodeProxy } from './node-proxy.ts'
import { waitUntil } from './stream-model.ts'

const auth = { kind: 'token', token: 's3cr3t-t0k3n' } as const
const devnet = defineChain({
  id: 31337,
  name: 'devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
let chain: DevChain
let proxy: NodeProxy
let clients: EvmClient[] = []

beforeAll(async () => {
  chain = await startDevChain()
  await chain.call('evm_setAutomine', true)
})
afterAll(() => chain.stop())
beforeEach(async () => {
  proxy = await startNodeProxy(chain.url)
})
afterEach(async () => {
  for (const made of clients) made.close()
  clients = []
  await proxy.close()
})

function client(transportKind: 'http' | 'socket', url = proxy.url): EvmClient {
  const transport =
    transportKind === 'http'
      ? http({ url, auth, retries: 0 })
      : webSocket({ url, auth, WebSocket, reconnect: { baseMs: 5, maxMs: 50 } })
  const made = createEvmClient({ transport })
  clients.push(made)
  return made
}

const methods = () => proxy.calls.map(({ method }) => method)
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each(['http', 'socket'] as const)('viem over %s', (transport) => {
  const connect = () => createPublicClient({ chain: devnet, transport: fairleadTransport(client(transport)) })

  it('reads blocks and contracts', async () => {
    const viem = connect()
    expect(await viem.getChainId()).toBe(31337)
    expect((await viem.getBlock()).number).toBe(BigInt(await chain.height()))
    const balance = await viem.readContract({
      address: chain.example.contract as Hex,
      abi: sampleTokenAbi,
      functionName: 'balanceOf',
      args: [chain.example.account as Hex],
    })
    expect(balance).toBeGreaterThan(0n)
  })

  it('decodes a contract error', async () => {
    const viem = connect()
    const error = await failureOf(
      viem.simulateContract({
        account: chain.example.recipient as Hex,
        address: chain.example.contract as Hex,
        abi: sampleTokenAbi,
        functionName: 'transfer',
        args: [chain.example.account as Hex, 10n ** 30n],
      }),
    )
    const reverted =
      error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
    expect((reverted as ContractFunctionRevertedError).data?.errorName).toBe('InsufficientBalance')
  })

  it('maps errors to the error classes of viem, also for an unreachable node', async () => {
    const viem = connect()
    proxy.reject = () => ({ code: -32602, message: 'no such block' })
    const error = await failureOf(viem.getBlock())
    expect((error as BaseError).walk((cause) => cause instanceof InvalidParamsRpcError)).toBeTruthy()
    expect(String(error)).not.toContain(auth.token)
    if (transport === 'socket') return
    const unreachable = createPublicClient({
      transport: fairleadTransport(client('http', 'http://127.0.0.1:9')),
    })
    const failure = await failureOf(unreachable.getBlockNumber())
    expect(failure).toBeInstanceOf(HttpRequestError)
    expect(String(failure)).not.toContain(auth.token)
  })

  it('sends transactions and waits for their receipts', async () => {
    const viem = connect()
    const wallet = createWalletClient({
      account: chain.example.account as Hex,
      chain: devnet,
      transport: fairleadTransport(client(transport)),
    })
    const hash = await wallet.writeContract({
      address: chain.example.contract as Hex,
      abi: sampleTokenAbi,
      functionName: 'transfer',
      args: [chain.example.recipient as Hex, 5n],
    })
    expect((await viem.waitForTransactionReceipt({ hash, pollingInterval: 50 })).status).toBe('success')
  })

  it('does not retry a call after the transport has failed', async () => {
    proxy.reject = () => ({ code: -32603, message: 'broken' })
    await failureOf(connect().getBlockNumber())
    expect(methods()).toEqual(['eth_blockNumber'])
  })
})

it.each(['http', 'socket'] as const)('viem accepts an EIP-1193 provider over %s', async (transport) => {
  const provider = createProvider(client(transport))
  const viem = createPublicClient({ chain: devnet, transport: custom(provider) })
  expect(await viem.getBlockNumber()).toBe(BigInt(await chain.height()))
  const error = await failureOf(
    viem.simulateContract({
      account: chain.example.recipient as Hex,
      address: chain.example.contract as Hex,
      abi: sampleTokenAbi,
      functionName: 'transfer',
      args: [chain.example.account as Hex, 10n ** 30n],
    }),
  )
  const reverted =
    error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  expect((reverted as ContractFunctionRevertedError).data?.errorName).toBe('InsufficientBalance')
})

it('viem receives blocks and logs as notifications where the transport supports subscriptions', async () => {
  const viem = createPublicClient({ chain: devnet, transport: fairleadTransport(client('socket')) })
  const blocks: bigint[] = []
  const logs: unknown[] = []
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  // If viem is stopped while it requests a block, it reports a missing block as well.
  const onBlock = (block: { readonly number: bigint } | undefined) => {
    if (block) blocks.push(block.number)
  }
  const unwatch = [
    viem.watchBlocks({ onBlock, onError }),
    viem.watchContractEvent({
      address: chain.example.contract as Hex,
      abi: sampleTokenAbi,
      eventName: 'Transfer',
      onLogs: (received) => logs.push(...received),
      onError,
    }),
  ]
  await waitUntil(() => methods().filter((method) => method === 'eth_subscribe').length === 2)
  // A node does not announce that a subscription is active before its first notification.
  while (blocks.length === 0 || logs.length === 0) await chain.mine(1)
  expect(errors).toEqual([])
  expect(methods()).not.toContain('eth_newFilter')
  expect(methods()).not.toContain('eth_blockNumber')
  for (const stop of unwatch) stop()
  await waitUntil(() => methods().filter((method) => method === 'eth_unsubscribe').length === 2)
})

it('viem reports a rejected subscription with its own error class', async () => {
  const viem = createPublicClient({ chain: devnet, transport: fairleadTransport(client('socket')) })
  proxy.reject = ({ method }) =>
    method === 'eth_subscribe' ? { code: -32602, message: 'no such kind' } : undefined
  const error = await new Promise((resolve) => {
    viem.watchBlockNumber({ onBlockNumber: () => {}, onError: resolve })
  })
  expect(error).toBeInstanceOf(RpcRequestError)
  expect(error).toMatchObject({ code: -32602, details: 'no such kind' })
})

it('ethers receives pending transactions', async () => {
  const provider = new FairleadProvider(client('socket'))
  const pending: unknown[] = []
  await provider.on('pending', (hash: unknown) => pending.push(hash))
  while (pending.length === 0) await chain.mine(1)
  expect(pending[0]).toMatch(/^0x[0-9a-f]{64}$/)
  const subscribed = proxy.calls.filter(({ method }) => method === 'eth_subscribe')
  expect(subscribed.map(({ params }) => params)).toEqual([['newPendingTransactions']])
  provider.destroy()
  await waitUntil(() => methods().includes('eth_unsubscribe'))
})

it('ethers accepts an EIP-1193 provider', async () => {
  const provider = new BrowserProvider(createProvider(client('http')))
  expect(await provider.getBlockNumber()).toBe(await chain.height())
  provider.destroy()
})

describe.each(['http', 'socket'] as const)('ethers over %s', (transport) => {
  let provider: FairleadProvider
  beforeEach(() => {
    provider = new FairleadProvider(client(transport), undefined, { pollingInterval: 20, cacheTimeout: -1 })
  })
  afterEach(() => provider.destroy())
  const token = async () => new Contract(chain.example.contract, sampleTokenAbi, await provider.getSigner(0))

  it('reads blocks and contracts', async () => {
    expect((await provider.getNetwork()).chainId).toBe(31337n)
    expect((await provider.getBlock('latest'))?.number).toBe(await chain.height())
    const contract = await token()
    expect(await contract.getFunction('balanceOf')(chain.example.account)).toBeGreaterThan(0n)
  })

  it('sends concurrent calls as one batch', async () => {
    await provider.getNetwork()
    const numbers = await Promise.all([0, 1, 2].map((number) => provider.getBlock(number)))
    expect(numbers.map((block) => block?.number)).toEqual([0, 1, 2])
    // The proxy does not split batches, so batched calls are not among its recorded calls.
    expect(methods()).not.toContain('eth_getBlockByNumber')
  })

  it('decodes a contract error', async () => {
    const contract = await token()
    const error = await failureOf(
      contract.getFunction('transfer').staticCall(chain.example.recipient, 10n ** 40n),
    )
    expect(isError(error, 'CALL_EXCEPTION')).toBe(true)
    const { data } = error as { data: string }
    expect(contract.interface.parseError(data)?.name).toBe('InsufficientBalance')
  })

  it('sends transactions, waits for their receipts and receives their events', async () => {
    const contract = await token()
    const received: unknown[] = []
    const numbers: number[] = []
    await provider.on('block', (number: number) => numbers.push(number))
    await contract.on('Transfer', (...values: unknown[]) => received.push(values[2]))
    // The log watcher reads its start block with this call. The block watcher needs at least one new block.
    await waitUntil(() => methods().includes('eth_getBlockByNumber'))
    while (numbers.length === 0) await chain.mine()
    const transaction = (await contract.getFunction('transfer')(chain.example.recipient, 77n)) as {
      wait(): Promise<{ status: number }>
    }
    await chain.mine()
    expect((await transaction.wait()).status).toBe(1)
    await waitUntil(() => received.includes(77n))
    expect(methods()).not.toContain('eth_newFilter')
    expect(methods().includes('eth_subscribe')).toBe(transport === 'socket')
    await contract.removeAllListeners()
    await provider.removeAllListeners()
  })

  it('reports the error message of the node, and throws when the node is unreachable', async () => {
    await provider.getNetwork()
    proxy.reject = () => ({ code: -32000, message: 'nonce too low' })
    const error = await failureOf(provider.send('eth_sendRawTransaction', ['0x00']))
    expect(isError(error, 'NONCE_EXPIRED')).toBe(true)
    if (transport === 'socket') return
    const unreachable = new FairleadProvider(client('http', 'http://127.0.0.1:9'), 31337, {
      staticNetwork: true,
    })
    await expect(unreachable.getBlockNumber()).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' })
    const concurrent = [1, 2].map((number) =>
      failureOf(unreachable.send('eth_getBlockByNumber', [number, false])),
    )
    expect(await Promise.all(concurrent)).toMatchObject([
      { code: 'TRANSPORT_FAILED' },
      { code: 'TRANSPORT_FAILED' },
    ])
    unreachable.destroy()
    await expect(unreachable.send('eth_blockNumber', [])).rejects.toMatchObject({
      code: 'UNSUPPORTED_OPERATION',
    })
  })
})
