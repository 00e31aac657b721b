import { startDevnet, type Devnet, type EvmDevnetChain } from '@fairlead/devnet'
import {
  batch,
  createEvmClient,
  createProvider,
  fallback,
  FairleadError,
  http,
  quorum,
  rateLimit,
  retry,
  type Transport,
  webSocket,
  type WebSocketOptions,
} from '@fairlead/evm-rpc'
import { BrowserProvider } from 'ethers'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as forward } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, custom, keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'

const token = 's3cr3t-t0k3n'
const auth = { kind: 'token', token } as const
// The first account of the mnemonic that every development node has.
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

let directory: string
let devnet: Devnet<readonly ['evm']>
let chain: EvmDevnetChain

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-transports-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  ;[chain] = devnet.chains
})

afterAll(async () => {
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

/** A connection to the chain that a test can break. */
interface Relay {
  readonly url: string
  /** Ends every connection without notice. */
  disconnect(): void
  /** How to treat the response to the next POST: `lose` forwards the request to the node, but drops the response. */
  nextAnswer: 'give' | 'lose'
  readonly posts: number
}

/** Starts a relay to the chain, which serves `/` only. The relay accepts paths with a token, as a gateway does. */
async function startRelay(): Promise<Relay> {
  const { hostname, port } = new URL(chain.url)
  const connections = new Set<Socket>()
  const server = createServer((request, response) => {
    relay.posts++
    const { nextAnswer } = relay
    relay.nextAnswer = 'give'
    if (request.url !== `/${token}`) {
      response.writeHead(401).end()
      return
    }
    const { method, headers } = request
    const upstreamRequest = forward(
      { hostname, port, method, headers, path: '/', agent: false },
      (upstreamResponse) => {
        if (nextAnswer === 'lose') {
          upstreamResponse.resume().on('end', () => response.destroy())
        } else {
          response.writeHead(upstreamResponse.statusCode ?? 500, upstreamResponse.headers)
          upstreamResponse.pipe(response)
        }
      },
    )
    upstreamRequest.on('error', () => response.destroy())
    request.pipe(upstreamRequest)
  })
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket)).on('error', () => socket.destroy())
  })
  server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    if (request.url !== `/ws/${token}`) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      return
    }
    const upstreamRequest = connect(Number(port), hostname, () => {
      const headers = request.rawHeaders.flatMap((name, index, all) =>
        index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
      )
      upstreamRequest.write(`GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
      upstreamRequest.write(head)
      socket.pipe(upstreamRequest).pipe(socket)
    })
    socket.on('close', () => upstreamRequest.destroy())
    upstreamRequest.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  })
  const relay = {
    url: '',
    nextAnswer: 'give' as Relay['nextAnswer'],
    posts: 0,
    disconnect() {
      for (const connection of connections) connection.destroy()
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    const closed = once(server, 'close')
    server.close()
    relay.disconnect()
    await closed
  })
  return Object.assign(relay, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const plain = (relay: Relay): Transport => http({ url: relay.url, auth, retries: 0 })

function liveSocket(relay: Relay, options: Partial<WebSocketOptions> = {}): ReturnType<typeof webSocket> {
  const reconnect = { baseMs: 1, maxMs: 50 }
  const transport = webSocket({ url: relay.url, auth, reconnect, ...options })
  onTestFinished(() => transport.close())
  return transport
}

const classes: [string, WebSocketOptions['WebSocket']][] = [
  ['the WebSocket of the runtime', undefined],
  ['the WebSocket of ws', WebSocket],
]

const mine = (transport: Transport): Promise<unknown> => transport.request({ method: 'evm_mine' })
const height = { method: 'eth_blockNumber' }

/** A signed transfer that is not sent yet. */
async function signTransfer(transport: Transport): Promise<`0x${string}`> {
  const wallet = createWalletClient({ account, chain: foundry, transport: custom(createProvider(transport)) })
  return wallet.signTransaction(
    await wallet.prepareTransactionRequest({ to: account.address, value: parseEther('0.01') }),
  )
}

describe.each(classes)('a WebSocket with %s', (_, WebSocketClass) => {
  it('sends calls and batches to a real node', async () => {
    const evm = createEvmClient({ transport: liveSocket(await startRelay(), { WebSocket: WebSocketClass }) })
    expect(await evm.request({ method: 'eth_chainId' })).toBe('0x7a69')
    const outcomes = await evm.transport.batch?.([
      { method: 'eth_chainId' },
      { method: 'eth_nothing' },
      height,
    ])
    expect(outcomes).toMatchObject([
      { value: '0x7a69' },
      { reason: { code: 'RPC_ERROR' } },
      { value: expect.stringMatching(/^0x/) as string },
    ])
    const error: unknown = await evm
      .request({ method: 'eth_call', params: [{ to: chain.example.contract, data: '0xdeadbeef' }, 'latest'] })
      .catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'RPC_ERROR')).toBe(true)
  })

  it('resumes a subscription over broken connections', async () => {
    const relay = await startRelay()
    const transport = liveSocket(relay, { WebSocket: WebSocketClass })
    const heads: number[] = []
    let resumed = 0
    const subscription = await transport.subscribe(['newHeads'], {
      next: (head) => heads.push(Number((head as { number: string }).number)),
      resumed: () => resumed++,
    })
    for (let round = 1; round <= 3; round++) {
      await mine(plain(relay))
      const currentHeight = Number(await transport.request(height))
      await vi.waitFor(() => expect(heads.at(-1)).toBe(currentHeight), 20_000)
      relay.disconnect()
      await vi.waitFor(() => expect(resumed).toBe(round), 20_000)
    }
    expect(heads).toEqual(heads.toSorted((left, right) => left - right))
    expect(new Set(heads).size).toBe(heads.length)
    await subscription.unsubscribe()
    const before = heads.length
    await mine(plain(relay))
    await transport.request(height)
    expect(heads).toHaveLength(before)
  })
})

describe('composed transports', () => {
  it('answer two hundred calls in a few exchanges, each with its own result', async () => {
    const relay = await startRelay()
    const transport = batch(rateLimit(retry(plain(relay)), { perSecond: 1_000, burst: 1_000 }), {
      maxItems: 50,
    })
    const evm = createEvmClient({ transport })
    const top = Number(await evm.request(height as { method: 'eth_blockNumber' }))
    const heights = Array.from({ length: 200 }, (_, index) => `0x${(index % (top + 1)).toString(16)}`)
    const before = relay.posts
    const blocks = await Promise.all(
      heights.map((number) => evm.request({ method: 'eth_getBlockByNumber', params: [number, false] })),
    )
    expect(blocks.map((block) => block?.number)).toEqual(heights)
    expect(relay.posts - before).toBe(4)
  })

  it('agree on a block by hash, and fail over to the next node', async () => {
    const relays = [await startRelay(), await startRelay(), await startRelay()]
    const [unreachable, ...rest] = relays.map(plain)
    const absent = http({ url: 'http://127.0.0.1:9', auth, retries: 0 })
    const transport = fallback([absent, quorum([unreachable as Transport, ...rest], { needed: 3 })])
    const block = (await transport.request({ method: 'eth_getBlockByNumber', params: ['0x1', true] })) as {
      hash: string
    }
    expect(await transport.request({ method: 'eth_getBlockByHash', params: [block.hash, true] })).toEqual(
      block,
    )
    const agreed = quorum([absent, ...rest], { needed: 2 })
    expect(await agreed.request({ method: 'eth_getBlockByHash', params: [block.hash, true] })).toEqual(block)
  })

  it('send a transaction once whose response was lost, and return its hash', async () => {
    const [first, second] = [await startRelay(), await startRelay()]
    const transport = fallback([plain(first), plain(second)])
    const raw = await signTransfer(transport)
    first.nextAnswer = 'lose'
    const hash = await transport.request({ method: 'eth_sendRawTransaction', params: [raw] })
    expect(hash).toBe(keccak256(raw))
    const receipt = await transport.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt).toMatchObject({ status: '0x1', transactionHash: hash })
  })
})

describe('a provider', () => {
  it('serves viem: reads, a transaction, errors', async () => {
    const provider = createProvider(liveSocket(await startRelay()))
    const transport = custom(provider)
    const reader = createPublicClient({ chain: foundry, transport, pollingInterval: 50 })
    const wallet = createWalletClient({ account, chain: foundry, transport })
    expect(await reader.getChainId()).toBe(31337)
    const hash = await wallet.sendTransaction({ to: chain.example.recipient as `0x${string}`, value: 1n })
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    await expect(
      reader.call({ to: chain.example.contract as `0x${string}`, data: '0xdeadbeef' }),
    ).rejects.toThrow(/revert/i)
  })

  it('serves ethers: reads, errors', async () => {
    const relay = await startRelay()
    const browser = new BrowserProvider(createProvider(createEvmClient({ url: relay.url, auth })))
    onTestFinished(() => browser.destroy())
    expect((await browser.getNetwork()).chainId).toBe(31337n)
    expect(await browser.getBalance(account.address)).toBeGreaterThan(0n)
    expect((await browser.getBlock(1))?.number).toBe(1)
    const call = browser.call({ to: chain.example.contract, data: '0xdeadbeef' })
    await expect(call).rejects.toMatchObject({ code: 'CALL_EXCEPTION' })
  })

  it('receives notifications from a real node', async () => {
    const relay = await startRelay()
    const provider = createProvider(liveSocket(relay))
    const messages: { data: { subscription: string; result: unknown } }[] = []
    provider.on('message', (message) => messages.push(message))
    const subscription = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await mine(plain(relay))
    await vi.waitFor(() => expect(messages.length).toBeGreaterThan(0), 20_000)
    expect(messages[0]?.data.subscription).toBe(subscription)
  })
})
