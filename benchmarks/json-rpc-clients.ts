// Calls per second of JSON-RPC clients against the embedded node, alone and through the gateway, as ratios to plain
// fetch without the gateway. All are measured in turns within one run, as machines are noisy.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { startDevnet } from '@fairlead/devnet'
import { createEvmClient } from '@fairlead/evm-rpc'
import { ethers } from 'ethers'
import { createClient, http } from 'viem'

const rounds = 7
const roundMs = 400
const concurrency = 16

const folder = await mkdtemp(join(tmpdir(), 'fairlead-benchmark-'))
const devnet = await startDevnet({ dataDirectory: join(folder, 'chains') })
const direct = devnet.chains[0]?.url ?? ''
const bin = new URL('../packages/gateway/src/bin.ts', import.meta.url).pathname
const service = spawn(process.execPath, ['--conditions=@fairlead/source', bin, 'serve'], {
  cwd: folder,
  env: { ...process.env, FAIRLEAD_PORT: '0', FAIRLEAD_LOG_LEVEL: 'warn', FAIRLEAD_EVM_UPSTREAM: direct },
})
let output = ''
const [, url = '', token = ''] = await new Promise<RegExpExecArray>((ready) => {
  service.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    const printed = /running at (\S+)[\s\S]*token +(\S+)\n/.exec(output)
    if (printed) ready(printed)
  })
})
const tokenUrl = `${url}/${token}`

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
const plainFetch = (address: string) => async () => {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return ((await answer.json()) as { result: string }).result
}
const evm = createEvmClient({ url, auth: { kind: 'token', token } })
const viem = createClient({ transport: http(tokenUrl) })
const provider = new ethers.JsonRpcProvider(tokenUrl, 31_337, { staticNetwork: true, batchMaxCount: 1 })
const contenders: Record<string, () => Promise<unknown>> = {
  'fetch, node alone': plainFetch(direct),
  'fetch, gateway': plainFetch(tokenUrl),
  'evm-rpc, gateway': () => evm.request({ method: 'eth_blockNumber' }),
  // Without `dedupe` viem answers calls in flight that are equal with one request.
  'viem, gateway': () => viem.request({ method: 'eth_blockNumber' }, { dedupe: false }),
  'ethers, gateway': () => provider.send('eth_blockNumber', []),
}

async function callsPerSecond(call: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + roundMs
  let calls = 0
  const worker = async () => {
    while (performance.now() < end) {
      await call()
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return (calls * 1_000) / roundMs
}

const rates: Record<string, number[]> = {}
for (let round = 0; round <= rounds; round++) {
  for (const [name, call] of Object.entries(contenders)) {
    const rate = await callsPerSecond(call)
    // The first round warms up.
    if (round > 0) (rates[name] ??= []).push(rate)
  }
}
const median = (values: readonly number[] = []) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const floor = median(rates['fetch, node alone'])
console.log(`${concurrency} calls in flight, medians of ${rounds} rounds`)
for (const [name, values] of Object.entries(rates)) {
  const [low, high] = [Math.min(...values) / floor, Math.max(...values) / floor]
  const ratio = (median(values) / floor).toFixed(2)
  console.log(
    `${name.padEnd(20)} x${ratio}  (${low.toFixed(2)} to ${high.toFixed(2)})  ${Math.round(median(values))} calls/s`,
  )
}
provider.destroy()
service.kill('SIGTERM')
await new Promise((ended) => service.once('exit', ended))
await devnet.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)
