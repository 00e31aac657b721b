import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeAddress } from '@fairlead/core'
import { ethers } from 'ethers'
import { createPublicClient, webSocket } from 'viem'
import { type MemoryMeter, memoryMeter } from '@fairlead/vitest/memory-meter'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { evmOnly, type DevelopmentGateway, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'

const patience = { timeout: 30_000, interval: 50 }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: DevelopmentGateway
let meter: MemoryMeter
let engineUrl: string
let wsUrl: string
/** The sample data of the chain. */
let sample: { readonly account: string; readonly contract: string; readonly recipient: string }
beforeAll(async () => {
  folder = await temporaryFolder(inject('database'))
  meter = await memoryMeter()
  gateway = await startGateway(folder.path, {
    ...evmOnly,
    ...meter.environment,
    FAIRLEAD_LOG_LEVEL: 'info',
    FAIRLEAD_MAX_WEBSOCKET_BUFFER_BYTES: '1048576',
  })
  engineUrl = `http://127.0.0.1:${readFileSync(join(folder.path, '.fairlead/evm/port'), 'utf8').trim()}`
  sample = JSON.parse(readFileSync(join(folder.path, '.fairlead/evm/seed.json'), 'utf8')) as typeof sample
  const [{ ws_url: url, token }] = gateway.file.nodes
  wsUrl = `${url}/${token}`
  // The probe traces a transaction, and anvil can hang when it traces while it mines.
  await vi.waitFor(() => expect(gateway.output()).toContain('"node methods probed"'), patience)
})
afterAll(async () => {
  await gateway.end('SIGTERM')
  await folder.remove()
})

const engineTimeoutMs = 60_000

/** Calls the engine behind the gateway, for methods that the gateway does not expose. */
async function engine<result>(method: string, params: unknown[] = []): Promise<result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(engineUrl, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(engineTimeoutMs),
  }).catch((cause: unknown) => {
    throw new Error(`the engine does not respond to ${method}`, { cause })
  })
  const { result, error } = (await response.json()) as { result: result; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

interface Head {
  readonly hash: string
}

interface Log {
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

const logName = ({ blockHash, logIndex, removed }: Log) => `${blockHash} ${logIndex} ${removed}`

/** A client that records the results of its subscriptions. */
async function subscriber(...subscriptions: readonly unknown[][]) {
  const socket = new WebSocket(wsUrl)
  await once(socket, 'open')
  const names: string[] = []
  const notifications = subscriptions.map((): string[] => [])
  let responses = 0
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as {
      id?: number
      result?: string
      params?: { subscription: string; result: Head & Log }
    }
    if (message.params) {
      const { subscription, result } = message.params
      notifications[names.indexOf(subscription)]?.push(result.blockHash ? logName(result) : result.hash)
      return
    }
    names[message.id as number] = message.result as string
    responses += 1
  })
  for (const [id, params] of subscriptions.entries()) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
  }
  await vi.waitFor(() => expect(responses).toBe(subscriptions.length), patience)
  return { socket, notifications }
}

async function transfer(blocks: number): Promise<void> {
  const { account, contract, recipient } = sample
  const data = `0xa9059cbb${recipient.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
  for (let block = 0; block < blocks; block++) {
    await engine('eth_sendTransactionSync', [{ from: account, to: contract, data, gas: '0x30d40' }])
  }
}

function enginePid(): number {
  const pid = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      return argv[0]?.endsWith('anvil') && argv.some((argument) => argument.includes(folder.path))
    } catch {
      return false
    }
  })
  if (pid === undefined) throw new Error('the engine does not run')
  return Number(pid)
}

// The last test stops the gateway.
describe('WebSocket subscriptions of the gateway', { shuffle: false }, () => {
  it('continue without gaps and duplicates after the engine is killed and restarted', async () => {
    const before = Number(await engine<string>('eth_blockNumber'))
    const { contract } = sample
    const kinds = [['newHeads'], ['logs', {}], ['logs', { address: contract }], ['newHeads']]
    const subscribers = await Promise.all(Array.from({ length: 50 }, () => subscriber(...kinds)))
    await transfer(10)
    const first = await engine<Head>('eth_getBlockByNumber', ['latest', false])
    // Blocks that are not yet in the state file would be lost with the engine.
    const stateFile = join(folder.path, '.fairlead/evm/state.json')
    await vi.waitFor(() => expect(readFileSync(stateFile, 'utf8').includes(first.hash)).toBe(true), patience)
    process.kill(enginePid(), 'SIGKILL')
    await vi.waitFor(() => engine('eth_chainId'), patience)
    await transfer(10)
    expect(await engine('eth_getBlockByHash', [first.hash, false])).not.toBeNull()
    const range = { fromBlock: `0x${(before + 1).toString(16)}`, toBlock: 'latest' }
    const logs = (await engine<Log[]>('eth_getLogs', [range])).map(logName)
    const numbers = Array.from({ length: 20 }, (_, index) => `0x${(before + 1 + index).toString(16)}`)
    const blocks = await Promise.all(
      numbers.map((number) => engine<Head>('eth_getBlockByNumber', [number, false])),
    )
    const heads = blocks.map(({ hash }) => hash)
    expect(logs).toHaveLength(20)
    let notificationCount = 0
    for (const { notifications } of subscribers) {
      for (const [index, results] of notifications.entries()) {
        const expected = kinds[index]?.[0] === 'logs' ? logs : heads
        await vi.waitFor(() => expect(results).toEqual(expected), patience)
        notificationCount += 1
      }
    }
    expect(notificationCount).toBe(200)
    for (const { socket } of subscribers) socket.close()
  })

  it('close for clients that do not read, with bounded memory', async () => {
    const slowReaders = await Promise.all(
      Array.from({ length: 10 }, () => subscriber(...Array.from({ length: 100 }, () => ['newHeads']))),
    )
    const fastReader = await subscriber(['newHeads'])
    const residentBytes = () => meter.residentBytes(gateway.process.pid)
    const before = await residentBytes()
    for (const { socket } of slowReaders) socket.pause()
    // About 150 kB per subscriber and block. Unread data would add up to 3 GB.
    for (let round = 0; round < 100; round++) await engine('anvil_mine', ['0x14'])
    const latest = await engine<Head>('eth_getBlockByNumber', ['latest', false])
    await vi.waitFor(() => expect(fastReader.notifications[0]?.at(-1)).toBe(latest.hash), patience)
    await vi.waitFor(
      () => expect(gateway.output().match(/"close_code":1013/g)).toHaveLength(slowReaders.length),
      patience,
    )
    expect((await residentBytes()) - before).toBeLessThan(256 * 1024 * 1024)
    expect(fastReader.notifications[0]).toHaveLength(2_000)
    for (const { socket } of [...slowReaders, fastReader]) socket.terminate()
  })

  it('work with viem and ethers', async () => {
    const [{ ws_url: url, node_url: nodeUrl, token, username, password }] = gateway.file.nodes
    expect(nodeAddress('websocket', nodeUrl, { kind: 'token', token }).url).toBe(`${url}/${token}`)
    const viem = createPublicClient({ transport: webSocket(wsUrl) })
    const hashes: string[] = []
    // If viem is stopped while it requests a block, it reports a missing block as well.
    const onBlock = (block: { readonly hash: string } | undefined) => {
      if (block) hashes.push(block.hash)
    }
    const unwatch = viem.watchBlocks({ onBlock })
    const credentials = btoa(`${username}:${password}`)
    const basic = new WebSocket(url, { headers: { authorization: `Basic ${credentials}` } })
    const provider = new ethers.WebSocketProvider(basic)
    // A log that arrives before ethers knows the network makes it lose all later ones.
    await provider.getNetwork()
    const numbers: number[] = []
    await provider.on('block', (number: number) => numbers.push(number))
    const logs: string[] = []
    await provider.on({ address: sample.contract }, (log: ethers.Log) => logs.push(log.blockHash))
    expect(await viem.getChainId()).toBe(31_337)
    await vi.waitFor(async () => {
      await transfer(1)
      const { hash, number } = await engine<Head & { number: string }>('eth_getBlockByNumber', [
        'latest',
        false,
      ])
      // A client whose subscription is not active yet receives the next block.
      await vi.waitFor(
        () => {
          expect(hashes).toContain(hash)
          expect(numbers).toContain(Number(number))
          expect(logs).toContain(hash)
        },
        { timeout: 1_000, interval: 10 },
      )
    }, patience)
    unwatch()
    ;(await viem.transport.getRpcClient()).close()
    await provider.destroy()
  })

  it('close with a reason when the gateway stops', async () => {
    const { socket } = await subscriber(['newHeads'])
    const closed = once(socket, 'close')
    expect(await gateway.end('SIGTERM')).toBe(0)
    const [code, reason] = (await closed) as [number, Buffer]
    expect([code, reason.toString()]).toEqual([1001, 'gateway restart'])
    for (const secret of [wsUrl, gateway.file.nodes[0].token]) expect(gateway.output()).not.toContain(secret)
    expect(gateway.output()).toContain('"node websocket"')
  })
})
