// What the gateway adds to calls of a jetton node: a page of burns and a configuration parameter, which it transforms,
// and transactions, which it forwards unchanged. The node is the embedded chain, and a baseline that sends the chain's
// responses from memory, so that the chain's own work does not hide that of the gateway. All take turns within one run.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { burn, openWallet, startJettonChain } from './fixtures/jetton-chain.ts'
import { cpuMs } from './fixtures/process-cost.ts'
import { serve } from './fixtures/gateway-process.ts'

const rounds = 3
const roundMs = 500
const parallel = 16
const burnsOnChain = 1_000

interface Call {
  readonly path: string
  readonly body?: string
}

/** The same call as clients of the gateway send it, and as a node accepts it. */
interface Operation {
  readonly throughGateway: Call
  readonly direct: Call
}

interface Contender {
  readonly baseUrl: string
  readonly processId: number
  readonly form: keyof Operation
}

interface Sample {
  readonly p50: number
  readonly p99: number
  readonly perSecond: number
  readonly cpuMs: number
}

const chain = await startJettonChain()
const send = await openWallet(chain)
for (let burned = 0; burned < burnsOnChain; burned += 4) {
  await send([0, 1, 2, 3].map((each) => burn(chain.example, `Burn number ${burned + each}`)))
}
const replay = fork(new URL('fixtures/jetton-replay.ts', import.meta.url), [chain.url])
const [replayPort] = (await once(replay, 'message')) as [number]
const replayUrl = `http://127.0.0.1:${replayPort}`
const environment = { FAIRLEAD_LOG_LEVEL: 'error' }
const beforeReplay = await serve({ ...environment, FAIRLEAD_JETTON_UPSTREAM: replayUrl })
const beforeChain = await serve({ ...environment, FAIRLEAD_JETTON_UPSTREAM: chain.url })

const contenders: Readonly<Record<string, Contender>> = {
  'responses from memory': { baseUrl: replayUrl, processId: replay.pid ?? 0, form: 'direct' },
  'gateway before these': {
    baseUrl: `${beforeReplay.url}/${beforeReplay.token}`,
    processId: beforeReplay.processId,
    form: 'throughGateway',
  },
  'embedded chain': { baseUrl: chain.url, processId: chain.processId, form: 'direct' },
  'gateway before it': {
    baseUrl: `${beforeChain.url}/${beforeChain.token}`,
    processId: beforeChain.processId,
    form: 'throughGateway',
  },
}
const { jetton_master: master, jetton_wallet: wallet } = chain.example
const operations: Readonly<Record<string, Operation>> = {
  '128 burns': burns(128),
  '1,000 burns': burns(1_000),
  '128 transactions, streamed': identical({
    path: `/api/v3/transactions?account=${wallet}&limit=128&offset=0&sort=desc`,
  }),
  'getConfigParam 15 by jsonRPC': parameter(15),
  'getConfigParam 34 by jsonRPC': parameter(34),
}

const agent = new Agent({ keepAlive: true, maxSockets: parallel })
console.log(`medians of ${rounds} rounds; CPU is that of the process that is called`)
for (const [name, operation] of Object.entries(operations)) await compare(name, operation)
agent.destroy()
await Promise.all([beforeReplay.stop(), beforeChain.stop()])
replay.kill()
await chain.stop()

function burns(limit: number): Operation {
  const page = `limit=${limit}&offset=0&sort=desc`
  return {
    throughGateway: { path: `/api/v3/jetton/burns?address=${master}&${page}` },
    direct: { path: `/api/v3/jetton/burns?jetton_master=${master}&${page}` },
  }
}

function parameter(config_id: number): Operation {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getConfigParam', params: { config_id } })
  return identical({ path: '/api/v2/jsonRPC', body })
}

function identical(call: Call): Operation {
  return { throughGateway: call, direct: call }
}

async function compare(name: string, operation: Operation): Promise<void> {
  const samples: Record<string, Sample[]> = {}
  let bytes: Record<string, number> = {}
  for (let round = 0; round <= rounds; round++) {
    for (const [contender, { baseUrl, processId, form }] of Object.entries(contenders)) {
      const call = () => bytesOf(baseUrl, operation[form])
      bytes = { ...bytes, [contender]: await call() }
      const sample = await measure(call, processId)
      // The first round is the warm-up.
      if (round > 0) (samples[contender] ??= []).push(sample)
    }
  }
  console.log(`\n${name}`)
  for (const [contender, values] of Object.entries(samples)) {
    const baseline = samples[contender.startsWith('gateway') ? baselineOf(contender) : contender] ?? []
    const cell = (label: string, unit: string, digits: number, field: keyof Sample) => {
      const value = median(values.map((sample) => sample[field]))
      const ratio = value / median(baseline.map((sample) => sample[field]))
      return `${label} ${value.toFixed(digits).padStart(7)} ${unit} (x${ratio.toFixed(2)})`
    }
    const cells = [
      cell('p50', 'ms', 2, 'p50'),
      cell('p99', 'ms', 2, 'p99'),
      cell(`${parallel} at once`, 'calls/s', 0, 'perSecond'),
      cell('CPU', 'ms a call', 2, 'cpuMs'),
    ]
    const size = `${((bytes[contender] ?? 0) / 1_000).toFixed(0).padStart(5)} kB`
    console.log(`  ${contender.padEnd(21)}${size}  ${cells.join('  ')}`)
  }
}

/** Returns the baseline behind a gateway. */
function baselineOf(gateway: string): string {
  return gateway.endsWith('these') ? 'responses from memory' : 'embedded chain'
}

/**
 * Makes sequential calls to measure the delay, then concurrent calls to measure the throughput and the cost per call.
 */
async function measure(call: () => Promise<unknown>, processId: number): Promise<Sample> {
  const delays: number[] = []
  await forAWhile(async () => {
    const before = performance.now()
    await call()
    delays.push(performance.now() - before)
  })
  const sorted = delays.toSorted((a, b) => a - b)
  const used = cpuMs(processId)
  const started = performance.now()
  const runs = await Promise.all(Array.from({ length: parallel }, () => forAWhile(call)))
  const calls = runs.reduce((sum, each) => sum + each, 0)
  return {
    p50: part(sorted, 0.5),
    p99: part(sorted, 0.99),
    perSecond: (calls * 1_000) / (performance.now() - started),
    cpuMs: (cpuMs(processId) - used) / calls,
  }
}

async function forAWhile(call: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + roundMs
  let calls = 0
  for (; performance.now() < end; calls++) await call()
  return calls
}

function bytesOf(baseUrl: string, { path, body }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(`${baseUrl}${path}`, { agent, method, headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes)
        else reject(new Error(`${path} failed: ${response.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function median(values: readonly number[]): number {
  return part(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

function part(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0
}
