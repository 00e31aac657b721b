// Calls per second and CPU time per call of JSON-RPC clients through the gateway, as ratios to hand-written calls. All
// are measured in turns within one run, because machines are noisy.
import { batch, createEvmClient, http, webSocket } from '@fairlead/evm-rpc'
import { ethers } from 'ethers'
import { createClient, http as viemHttp, webSocket as viemWebSocket } from 'viem'
import { Web3 } from 'web3'
import { WebSocket } from 'ws'
import { type CallSample, callMeasures } from './fixtures/report/call-measures.ts'
import type { Role } from './fixtures/report/comparison.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { startService } from './fixtures/gateway-process.ts'

const roundMs = 400
const concurrency = 16
const batchSize = 20

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 7,
  software: { packages: ['viem', 'ethers', 'web3', 'ws'] },
})
const service = await startService()
const { url, token } = service
const auth = { kind: 'token', token } as const
const tokenUrl = `${url}/${token}`
const socketUrl = `${url.replace('http', 'ws')}/ws/${token}`

const request = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
const post = (address: string, body: unknown) => async () => {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return await answer.json()
}
const times = (count: number, call: () => Promise<unknown>) => () =>
  Promise.all(Array.from({ length: count }, call))

const bare = new WebSocket(socketUrl)
await new Promise((open) => bare.once('open', open))
const waiting = new Map<number, (answer: unknown) => void>()
bare.on('message', (data: Buffer) => {
  const answer = JSON.parse(data.toString()) as { id: number }
  waiting.get(answer.id)?.(answer)
  waiting.delete(answer.id)
})
let lastId = 0
const bareCall = () =>
  new Promise((resolve) => {
    waiting.set(++lastId, resolve)
    bare.send(JSON.stringify({ ...request, id: lastId }))
  })

const network = { staticNetwork: true } as const
const evm = createEvmClient({ url, auth })
const evmBatched = createEvmClient({ transport: batch(http({ url, auth }), { maxItems: batchSize }) })
const evmSocket = createEvmClient({ transport: webSocket({ url, auth }) })
const viem = createClient({ transport: viemHttp(tokenUrl) })
const viemBatched = createClient({ transport: viemHttp(tokenUrl, { batch: { batchSize } }) })
const viemSocket = createClient({ transport: viemWebSocket(socketUrl) })
const single = new ethers.JsonRpcProvider(tokenUrl, 31_337, { ...network, batchMaxCount: 1 })
const batched = new ethers.JsonRpcProvider(tokenUrl, 31_337, {
  ...network,
  batchMaxCount: batchSize,
  batchStallTime: 0,
})
const socketProvider = new ethers.WebSocketProvider(socketUrl, 31_337, network)
const web3 = new Web3(tokenUrl)
const web3Socket = new Web3(socketUrl)

const web3Batch = async () => {
  const calls = new web3.BatchRequest()
  const answers = Array.from({ length: batchSize }, (_, id) =>
    calls.add({ ...request, id: id + 1, jsonrpc: '2.0' }),
  )
  await calls.execute()
  return Promise.all(answers)
}

interface Contender {
  /** Calls per turn. */
  readonly calls: number
  turn(): Promise<unknown>
}

const one = (turn: () => Promise<unknown>): Contender => ({ calls: 1, turn })
const many = (turn: () => Promise<unknown>): Contender => ({ calls: batchSize, turn })
// Without `dedupe`, viem sends one request for equal calls in flight.
const viemCall = (client: typeof viem | typeof viemSocket) => () =>
  client.request({ method: 'eth_blockNumber' }, { dedupe: false })

const modes: Readonly<Record<string, Readonly<Record<string, Contender>>>> = {
  'Single calls over HTTP': {
    'fetch by hand': one(post(tokenUrl, request)),
    'fetch, node alone': one(post(service.node, request)),
    'evm-rpc': one(() => evm.request({ method: 'eth_blockNumber' })),
    viem: one(viemCall(viem)),
    ethers: one(() => single.send('eth_blockNumber', [])),
    web3: one(() => web3.requestManager.send({ method: 'eth_blockNumber', params: [] })),
  },
  [`Batches of ${batchSize} over HTTP`]: {
    'fetch by hand': many(
      post(
        tokenUrl,
        Array.from({ length: batchSize }, (_, id) => ({ ...request, id })),
      ),
    ),
    'evm-rpc': many(times(batchSize, () => evmBatched.request({ method: 'eth_blockNumber' }))),
    viem: many(times(batchSize, viemCall(viemBatched))),
    ethers: many(times(batchSize, () => batched.send('eth_blockNumber', []))),
    web3: many(web3Batch),
  },
  'Calls over a WebSocket': {
    'ws by hand': one(bareCall),
    'evm-rpc': one(() => evmSocket.request({ method: 'eth_blockNumber' })),
    viem: one(viemCall(viemSocket)),
    ethers: one(() => socketProvider.send('eth_blockNumber', [])),
    web3: one(() => web3Socket.requestManager.send({ method: 'eth_blockNumber', params: [] })),
  },
}

async function measure({ calls, turn }: Contender): Promise<CallSample> {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  let turns = 0
  const worker = async () => {
    while (performance.now() < started + roundMs) {
      await turn()
      turns += 1
    }
  }
  await Promise.all(Array.from({ length: calls > 1 ? 4 : concurrency }, worker))
  const { user, system } = process.cpuUsage(usedBefore)
  const done = turns * calls
  return {
    callsPerSecond: (done * 1_000) / (performance.now() - started),
    microsecondsPerCall: (user + system) / done,
  }
}

for (const [title, contenders] of Object.entries(modes)) {
  const samples = new Map<string, CallSample[]>(Object.keys(contenders).map((name) => [name, []]))
  for (let round = 0; round <= report.rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const sample = await measure(contender)
      // The first round is the warm-up.
      if (round > 0) samples.get(name)?.push(sample)
    }
  }
  const roles = Object.fromEntries(Object.keys(contenders).map((name) => [name, roleOf(name)]))
  const [baseline = ''] = Object.keys(contenders)
  report.add({ title, roles, measures: callMeasures(samples, baseline), errors: 0 })
}
await report.finish()

function roleOf(name: string): Role {
  if (name === 'evm-rpc') return 'fairlead'
  return name === 'fetch, node alone' ? 'reference' : 'alternative'
}

evmSocket.close()
bare.close()
single.destroy()
batched.destroy()
await socketProvider.destroy()
await service.stop()
process.exit(0)
