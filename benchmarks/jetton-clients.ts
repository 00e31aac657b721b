// Calls per second and CPU time per call of clients of the jetton chain, as ratios to hand-written `fetch` calls. The
// node sends responses of the embedded chain from memory, so that little but the client remains. All take turns within
// one run.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { addressWriter } from '@fairlead/jetton/address'
import { createJettonV2Client, failover } from '@fairlead/jetton/v2'
import { Address } from '@ton/core'
import { TonClient } from '@ton/ton'
import type tonwebModule from 'tonweb'
import { startJettonChain } from './fixtures/jetton-chain.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { type CallSample, callMeasures } from './fixtures/report/call-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'

// Loaded as its users load it: it predates ES modules.
const TonWeb = createRequire(import.meta.url)('tonweb') as (typeof tonwebModule)['default']

const roundMs = 400
const parallel = 16

const baseline = 'fetch by hand'
const roles = {
  [baseline]: 'alternative',
  jetton: 'fairlead',
  'jetton, failover': 'variant',
  'jetton, addresses': 'variant',
  '@ton/ton': 'alternative',
  tonweb: 'alternative',
} as const
const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 7,
  software: { packages: ['@ton/ton', '@ton/core', 'tonweb'] },
})
const chain = await startJettonChain()
const replay = fork(new URL('fixtures/jetton-replay.ts', import.meta.url), [chain.url])
const [port] = (await once(replay, 'message')) as [number]
const node = { url: `http://127.0.0.1:${port}`, auth: { kind: 'token', token: 't0k3n' } } as const
const endpoint = `${node.url}/t0k3n/api/v2/jsonRPC`

const { wallet } = chain.example
const address = Address.parse(wallet)
const limit = 20
const jetton = createJettonV2Client(node)
const withFailover = createJettonV2Client({ transport: failover([node, { ...node, url: chain.url }]) })
const withAddresses = createJettonV2Client({ ...node, addresses: addressWriter('raw') })
const tonClient = new TonClient({ endpoint })
const tonweb = new TonWeb.HttpProvider(endpoint)

const byHand = (method: string, params: object) => async () => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json()
}
const state = { method: 'getAddressInformation', params: { address: wallet } } as const
const history = { method: 'getTransactions', params: { address: wallet, limit } } as const

const modes: Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>> = {
  'Call of `getAddressInformation`': {
    [baseline]: byHand(state.method, state.params),
    jetton: () => jetton.call(state),
    'jetton, failover': () => withFailover.call(state),
    'jetton, addresses': () => withAddresses.call(state),
    '@ton/ton': () => tonClient.getContractState(address),
    tonweb: () => tonweb.getAddressInfo(wallet),
  },
  // @ton/ton also reads the cells of each transaction.
  'Call of `getTransactions`': {
    [baseline]: byHand(history.method, history.params),
    jetton: () => jetton.call(history),
    'jetton, failover': () => withFailover.call(history),
    'jetton, addresses': () => withAddresses.call(history),
    '@ton/ton': () => tonClient.getTransactions(address, { limit }),
    tonweb: () => tonweb.getTransactions(wallet, limit),
  },
}

for (const [title, contenders] of Object.entries(modes)) {
  const samples = new Map<string, CallSample[]>(Object.keys(contenders).map((name) => [name, []]))
  for (let round = 0; round <= report.rounds; round++) {
    for (const [name, call] of Object.entries(contenders)) {
      const sample = await measure(call)
      // The first round is the warm-up.
      if (round > 0) samples.get(name)?.push(sample)
    }
  }
  report.add({ title, roles, measures: callMeasures(samples, baseline), errors: 0 })
}
await report.finish()
replay.kill()
await chain.stop()
process.exit(0)

async function measure(call: () => Promise<unknown>): Promise<CallSample> {
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  let calls = 0
  const worker = async () => {
    for (; performance.now() < started + roundMs; calls++) await call()
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  const { user, system } = process.cpuUsage(usedBefore)
  return {
    callsPerSecond: (calls * 1_000) / (performance.now() - started),
    microsecondsPerCall: (user + system) / calls,
  }
}
