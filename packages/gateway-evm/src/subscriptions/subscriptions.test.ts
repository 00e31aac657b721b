import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type EvmDevnetChain, startDevnet } from '@fairlead/devnet'
import { settled } from '@fairlead/vitest/settled'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inFrontOf, type ListenerFixture, type ListenerOptions, token } from '../testing/listener-fixture.ts'
import { type NodeProxy, proxyTo } from '@fairlead/gateway-core/testing/node-proxy'
import { type Client, openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { waitFor } from '@fairlead/vitest/wait-for'

let directory: string
let devnet: Devnet
let chain: EvmDevnetChain
let proxy: NodeProxy
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-subscriptions-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  ;[chain] = devnet.chains as [EvmDevnetChain]
}, 60_000)
afterAll(async () => {
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  proxy = await proxyTo(chain.url)
})
afterEach(() => proxy.stop())

/** Starts the gateway with a proxy in front of the upstream. */
function start(options: ListenerOptions = {}, hasSocket = true): Promise<ListenerFixture> {
  return inFrontOf(proxy.url, { ...options, websocket: hasSocket ? proxy.wsUrl : undefined })
}

function client(gateway: ListenerFixture): Promise<Client> {
  return openWebSocket(gateway.wsUrl)
}

function clients(gateway: ListenerFixture, number: number): Promise<Client[]> {
  return Promise.all(Array.from({ length: number }, () => client(gateway)))
}

async function node<result>(method: string, params: unknown[] = [], url = chain.url): Promise<result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  const { result, error } = (await response.json()) as { result: result; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Mines blocks with one transfer of the sample token each. */
async function transfer(blocks: number): Promise<void> {
  const { account, contract, recipient } = chain.example
  const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
  for (let block = 0; block < blocks; block++) {
    await node('eth_sendTransactionSync', [{ from: account, to: contract, data, gas: '0x30d40' }])
  }
}

interface Head {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

interface Log {
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

/** Returns the hashes of the upstream's blocks after a number, and the names of their logs. */
async function expectedEvents(after: number): Promise<{ heads: string[]; logs: string[] }> {
  const latest = Number(await node<string>('eth_blockNumber'))
  const numbers = Array.from(
    { length: latest - after },
    (_, index) => `0x${(after + 1 + index).toString(16)}`,
  )
  const blocks = await Promise.all(
    numbers.map((number) => node<Head>('eth_getBlockByNumber', [number, false])),
  )
  const logs = await node<Log[]>('eth_getLogs', [
    { fromBlock: `0x${(after + 1).toString(16)}`, toBlock: 'latest' },
  ])
  return { heads: blocks.map(({ hash }) => hash), logs: logs.map(nameOf) }
}

const nameOf = ({ blockHash, logIndex }: Log): string => `${blockHash} ${logIndex}`
const headsOf = (each: Client, id: string): string[] => each.results<Head>(id).map(({ hash }) => hash)
const logsOf = (each: Client, id: string): string[] => each.results<Log>(id).map(nameOf)
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

describe('an upstream that reconnects', () => {
  it('causes no gaps or duplicates in 200 subscriptions on 50 connections', async () => {
    const gateway = await start()
    const { contract } = chain.example
    const all = await clients(gateway, 50)
    const before = Number(await node<string>('eth_blockNumber'))
    const subscribed = await Promise.all(
      all.map(async (each) => ({
        each,
        heads: [await each.subscribe('newHeads')],
        logs: [
          await each.subscribe('logs', {}),
          await each.subscribe('logs', { address: contract }),
          await each.subscribe('logs', { topics: [transferTopic] }),
        ],
      })),
    )
    await transfer(5)
    await waitFor(() => expect(headsOf(all[0] as Client, subscribed[0]?.heads[0] as string)).toHaveLength(5))
    proxy.cut()
    await transfer(60)
    proxy.restore()
    await transfer(5)
    proxy.cut()
    proxy.restore()
    await transfer(5)
    const expected = await expectedEvents(before)
    expect([expected.heads.length, expected.logs.length]).toEqual([75, 75])
    let counted = 0
    for (const { each, heads, logs } of subscribed) {
      for (const id of heads) {
        await waitFor(() => expect(headsOf(each, id)).toEqual(expected.heads))
        counted += 1
      }
      for (const id of logs) {
        await waitFor(() => expect(logsOf(each, id)).toEqual(expected.logs))
        counted += 1
      }
    }
    expect(counted).toBe(200)
    // No log of the earlier blocks arrives before the next ones.
    await transfer(1)
    const next = (await expectedEvents(before)).logs
    for (const { each, logs } of subscribed) {
      await waitFor(() => expect(logsOf(each, logs[0] as string)).toEqual(next))
    }
    expect(gateway.log()).toContain('the WebSocket to an upstream is connected again')
    expect(gateway.log()).not.toContain(new URL(proxy.url).host)
  })

  it('is polled while its WebSocket is unavailable', async () => {
    const gateway = await start()
    const each = await client(gateway)
    const before = Number(await node<string>('eth_blockNumber'))
    const id = await each.subscribe('newHeads')
    proxy.cut()
    await transfer(2)
    expect(headsOf(each, id)).toEqual([])
    const second = await client(gateway)
    const secondId = await second.subscribe('newHeads')
    proxy.restore()
    await waitFor(async () => expect(headsOf(each, id)).toEqual((await expectedEvents(before)).heads))
    await waitFor(() => expect(headsOf(second, secondId)).toEqual(headsOf(each, id)))
  })
})

describe('a reorganisation', () => {
  it.each([true, false])(
    'reports removed logs and delivers the other branch (with WebSocket: %s)',
    async (hasSocket) => {
      const gateway = await start({}, hasSocket)
      const each = await client(gateway)
      const heads = await each.subscribe('newHeads')
      const logs = await each.subscribe('logs', { address: chain.example.contract })
      const before = Number(await node<string>('eth_blockNumber'))
      await transfer(4)
      const old = await expectedEvents(before)
      await waitFor(() => expect(logsOf(each, logs)).toEqual(old.logs))
      const second = await client(gateway)
      const secondLogs = await second.subscribe('logs')
      await node('anvil_reorg', [3, []])
      await transfer(2)
      const now = await expectedEvents(before)
      expect(now.heads[0]).toBe(old.heads[0])
      expect(now.heads[1]).not.toBe(old.heads[1])
      await waitFor(() => expect(headsOf(each, heads)).toEqual([...old.heads, ...now.heads.slice(1)]))
      const received = each.results<Log>(logs)
      expect(received.slice(0, 4).map(({ removed }) => removed)).toEqual([false, false, false, false])
      expect(received.slice(4, 7).map((log) => [nameOf(log), log.removed])).toEqual(
        old.logs
          .slice(1)
          .toReversed()
          .map((name) => [name, true]),
      )
      expect(received.slice(7).map(nameOf)).toEqual(now.logs.slice(1))
      // A later subscriber receives no removed logs that it has never received.
      await waitFor(() => expect(logsOf(second, secondLogs)).toEqual(now.logs.slice(1)))
    },
  )
})

describe('a node without a WebSocket', () => {
  it('is polled for heads, logs and pending transactions', async () => {
    const { account, recipient } = chain.example
    const each = await client(await start({}, false))
    const [heads, logs, pending] = [
      await each.subscribe('newHeads'),
      await each.subscribe('logs'),
      await each.subscribe('newPendingTransactions'),
    ]
    const before = Number(await node<string>('eth_blockNumber'))
    const hash = await node<string>('eth_sendTransaction', [{ from: account, to: recipient, value: '0x1' }])
    await transfer(3)
    const expected = await expectedEvents(before)
    await waitFor(() => expect(headsOf(each, heads)).toEqual(expected.heads))
    await waitFor(() => expect(logsOf(each, logs)).toEqual(expected.logs))
    await waitFor(() => expect(each.results(pending)).toContain(hash))
    expect(await each.call('eth_subscribe', ['syncing'])).toMatchObject({
      error: { code: -32601, message: expect.stringContaining('WebSocket upstream') },
    })
    expect(proxy.requestCounts.size).toBe(0)
  })
})

describe('equal subscriptions', () => {
  it('are sent to the node once', async () => {
    const gateway = await start()
    const all = await clients(gateway, 100)
    const filter = {
      address: [chain.example.contract, chain.example.recipient],
      topics: [[transferTopic], null],
    }
    const ids = await Promise.all(all.map((each) => each.subscribe('logs', filter)))
    await Promise.all(all.map((each) => each.subscribe('newPendingTransactions')))
    await transfer(1)
    for (const [index, each] of all.entries()) {
      await waitFor(() => expect(each.results(ids[index] as string)).toHaveLength(1))
    }
    expect(new Set(ids).size).toBe(100)
    // One for headers, which triggers all log requests, and one for pending transactions.
    expect(proxy.requestCounts.get('eth_subscribe')).toBe(2)
    const metrics = await gateway.metrics()
    expect(metrics).toContain('fairlead_upstream_subscriptions 2')
    expect(metrics).toContain('fairlead_subscriptions{kind="logs"} 100')
    for (const each of all) each.socket.close()
    await waitFor(() => expect(proxy.requestCounts.get('eth_unsubscribe')).toBe(1))
    await transfer(1)
  })
})

describe('a client with many subscriptions', () => {
  const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`
  const addresses = (of: number) => Array.from({ length: 1_000 }, (_, index) => address(of * 1_000 + index))

  it('has a limit on addresses and topics', async () => {
    const { call, subscribe } = await client(await start())
    const ids: string[] = []
    for (let of = 0; of < 16; of++) ids.push(await subscribe('logs', { address: addresses(of) }))
    expect(await call('eth_subscribe', ['logs', { address: addresses(16) }])).toMatchObject({
      error: { code: -32005, data: { max_filter_items: 16_384 } },
    })
    expect(await call('eth_subscribe', ['newHeads'])).toHaveProperty('result')
    await call('eth_unsubscribe', [ids[0]])
    expect(await call('eth_subscribe', ['logs', { address: addresses(16) }])).toHaveProperty('result')
  })

  it('is disconnected when it sends pings and does not read the pongs', async () => {
    const gateway = await start({ maxBufferBytes: 65_536 })
    const socket = connect(gateway.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    const key = Buffer.alloc(16).toString('base64')
    socket.write(
      `GET /ws/${token} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    )
    await once(socket, 'data')
    socket.pause()
    // A ping of 125 bytes with an all-zero mask.
    const ping = Buffer.concat([Buffer.of(0x89, 0xfd), Buffer.alloc(129)])
    const pings = Buffer.concat(Array<Buffer>(8_192).fill(ping))
    for (let count = 0; count < 64; count++) socket.write(pings)
    await waitFor(() => expect(gateway.log()).toContain('"close_code":1006'))
  })
})

describe('a client that reads slowly', () => {
  it('is closed when too many notifications are queued', async () => {
    const gateway = await start({ maxBufferBytes: 65_536 })
    const [slow, fast] = (await clients(gateway, 2)) as [Client, Client]
    for (let index = 0; index < 200; index++) await slow.subscribe('newHeads')
    const id = await fast.subscribe('newHeads')
    const { socket } = slow
    socket.pause()
    await waitFor(async () => {
      await node('anvil_mine', ['0x10'])
      const metrics = await gateway.metrics()
      expect(metrics).toContain('fairlead_subscriptions{kind="newHeads"} 1\n')
    })
    socket.resume()
    // The data that was sent before is read first.
    expect(await slow.closed).toEqual([1013, 'client reads too slowly'])
    await waitFor(() => expect(gateway.log()).toContain('"close_code":1013'))
    await node('anvil_mine', ['0x1'])
    const head = await node<Head>('eth_getBlockByNumber', ['latest', false])
    await waitFor(() => expect(headsOf(fast, id)).toContain(head.hash))
  })

  it('has its calls read only as fast as it reads the responses', async () => {
    const gateway = await start({ maxBufferBytes: 65_536, maxCalls: 4 })
    await transfer(1)
    const each = await client(gateway)
    const { socket } = each
    const calls = 2_500
    socket.pause()
    for (let id = 0; id < calls; id++) {
      each.socket.send(
        `{"jsonrpc":"2.0","id":${id},"method":"eth_getCode","params":["${chain.example.contract}"]}`,
      )
    }
    const sentMessages = async () =>
      Number(/messages_total\{direction="out"} (\d+)/.exec(await gateway.metrics())?.[1])
    await waitFor(() => expect(proxy.maxConcurrent()).toBe(4))
    // No further response is sent while the upstream responds to other calls.
    const sentCount = await settled(sentMessages, async () => {
      for (let call = 0; call < 20; call++) await node('eth_blockNumber')
    })
    expect(sentCount).toBeGreaterThan(0)
    expect(sentCount).toBeLessThan(calls)
    socket.resume()
    // With four calls at a time, a busy machine needs this long for all of them.
    await vi.waitFor(() => expect(each.messages).toHaveLength(calls), { timeout: 110_000, interval: 50 })
    expect(proxy.maxConcurrent()).toBeLessThanOrEqual(4)
  }, 120_000)
})

it('ends subscriptions when an upstream reconnects with another chain', async () => {
  const separateDirectory = await mkdtemp(join(tmpdir(), 'fairlead-subscriptions-'))
  onTestFinished(() => rm(separateDirectory, { recursive: true, force: true }))
  const separateDevnet = await startDevnet({ dataDirectory: separateDirectory, chains: ['evm'] })
  onTestFinished(separateDevnet.stop)
  const [{ url }] = separateDevnet.chains as [EvmDevnetChain]
  const each = await client(await inFrontOf(url, { websocket: url.replace('http', 'ws') }))
  await each.subscribe('newHeads')
  await each.subscribe('logs')
  await node('anvil_reset', [], url)
  await node('anvil_mine', ['0x20'], url)
  expect(await each.closed).toEqual([1011, 'the reorganization is too deep'])
})
