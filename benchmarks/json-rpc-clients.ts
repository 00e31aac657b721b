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
import { startGatewayOnDevnet } from './fixtures/gateway-process.ts'

const roundMs = 400
const concurrency = 16
const batchSize = 20

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 7,
  software: { packages: ['viem', 'ethers', 'web3', 'ws'] },
})
const gateway = await startGatewayOnDevnet()
const { url, token } = gateway
const auth = { kind: 'token', token } as const
const tokenUrl = `${url}/${token}`
const socketUrl = `${url.replace('http', 'ws')}/ws/${token}`

const request = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
const post = (address: string, body: unknown) => async () => {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return await response.json()
}
const times = (count: number, call: () => Promise<unknown>) => () =>
  Promise.all(Array.from({ length: count }, call))

const bare = new WebSocket(socketUrl)
await new Promise((open) => bare.once('open', open))
const pending = new Map<number, (response: unknown) => void>()
bare.on('message', (data: Buffer) => {
  const response = JSON.parse(data.toString()) as { id: number }
  pending.get(response.id)?.(response)
  pending.delete(response.id)
})
let lastId = 0
const bareCall = () =>
  new Promise((resolve) => {
    pending.set(++lastId, resolve)
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
  const responses = Array.from({ length: batchSize }, (_, id) =>
    calls.add({ ...request, id: id + 1, jsonrpc: '2.0' }),
  )
  await calls.execute()
  return Promise.all(responses)
}

interface Contender {
  /** Calls per turn. */
  readonly calls: number
  run(): Promise<unknown>
}

const singleCall = (run: () => Promise<unknown>): Contender => ({ calls: 1, run })
const batchCall = (run: () => Promise<unknown>): Contender => ({ calls: batchSize, run })
// Without `dedupe`, viem sends one request for equal calls in flight.
const viemCall = (client: typeof viem | typeof viemSocket) => () =>
  client.request({ method: 'eth_blockNumber' }, { dedupe: false })

const modes: Readonly<Record<string, Readonly<Record<string, Contender>>>> = {
  'Single calls over HTTP': {
    'fetch by hand': singleCall(post(tokenUrl, request)),
    'fetch, node alone': singleCall(post(gateway.node, request)),
    'evm-rpc': singleCall(() => evm.request({ method: 'eth_blockNumber' })),
    viem: singleCall(viemCall(viem)),
    ethers: singleCall(() => single.send('eth_blockNumber', [])),
    web3: singleCall(() => web3.requestManager.send({ method: 'eth_blockNumber', params: [] })),
  },
  [`Batches of ${batchSize} over HTTP`]: {
    'fetch by hand': batchCall(
      post(
        tokenUrl,
        Array.from({ length: batchSize }, (_, id) => ({ ...request, id })),
      ),
    ),
    'evm-rpc': batchCall(times(batchSize, () => evmBatched.request({ method: 'eth_blockNumber' }))),
    viem: batchCall(times(batchSize, viemCall(viemBatched))),
    ethers: batchCall(times(batchSize, () => batched.send('eth_blockNumber', []))),
    web3: batchCall(web3Batch),
  },
  'Calls over a WebSocket': {
    'ws by hand': singleCall(bareCall),
    'evm-rpc': singleCall(() => evmSocket.request({ method: 'eth_blockNumber' })),
    viem: singleCall(viemCall(viemSocket)),
    ethers: singleCall(() => socketProvider.send('eth_blockNumber', [])),
    web3: singleCall(() => web3Socket.requestManager.send({ method: 'eth_blockNumber', params: [] })),
  },
}

async function measure({ calls, run }: Contender): Promise<CallSample> {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  let runs = 0
  const worker = async () => {
    while (performance.now() < started + roundMs) {
      await run()
      runs += 1
    }
  }
  await Promise.all(Array.from({ length: calls > 1 ? 4 : concurrency }, worker))
  const { user, system } = process.cpuUsage(usedBefore)
  const done = runs * calls
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
await gateway.stop()
process.exit(0)
