// The amount of code that a web page loads for one use of a library, minified and compressed, compared with alternative
// libraries.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { readFlags } from './fixtures/read-flags.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'

const address = `{ url: 'https://node.example.com', auth: { kind: 'token', token: 't0k3n' } }`
const account = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
const endpoint = 'https://node.example.com/t0k3n/api/v2/jsonRPC'
const lodestar = `import { getClient } from '@lodestar/api'
      import { config } from '@lodestar/config/default'
      const api = getClient({ baseUrl: 'https://node.example.com/beacon/t0k3n' }, { config })`
const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'One call over HTTP': {
    'evm-rpc': `import { createEvmClient } from '@fairlead/evm-rpc'
      console.log(await createEvmClient(${address}).request({ method: 'eth_blockNumber' }))`,
    viem: `import { createClient, http } from 'viem'
      console.log(await createClient({ transport: http('https://node.example.com/t0k3n') }).request({ method: 'eth_blockNumber' }))`,
    ethers: `import { JsonRpcProvider } from 'ethers'
      console.log(await new JsonRpcProvider('https://node.example.com/t0k3n').send('eth_blockNumber', []))`,
  },
  'Ten actions over HTTP': {
    'evm-rpc': `import { createEvmClient } from '@fairlead/evm-rpc'
      import * as a from '@fairlead/evm-rpc/actions'
      const c = createEvmClient(${address})
      console.log(a.eth_chainId(c), a.eth_blockNumber(c), a.eth_gasPrice(c), a.eth_getBalance(c, '0x'), a.eth_getCode(c, '0x'),
        a.eth_call(c, {}), a.eth_estimateGas(c, {}), a.eth_getLogs(c, {}), a.eth_getTransactionReceipt(c, '0x'), a.eth_feeHistory(c, '0x1', 'latest', []))`,
    viem: `import { createClient, http } from 'viem'
      import * as a from 'viem/actions'
      const c = createClient({ transport: http('https://node.example.com/t0k3n') })
      console.log(a.getChainId(c), a.getBlockNumber(c), a.getGasPrice(c), a.getBalance(c, {}), a.getCode(c, {}),
        a.call(c, {}), a.estimateGas(c, {}), a.getLogs(c, {}), a.getTransactionReceipt(c, {}), a.getFeeHistory(c, {}))`,
    ethers: `import { JsonRpcProvider } from 'ethers'
      const p = new JsonRpcProvider('https://node.example.com/t0k3n')
      console.log(p.getNetwork(), p.getBlockNumber(), p.getFeeData(), p.getBalance('0x'), p.getCode('0x'),
        p.call({}), p.estimateGas({}), p.getLogs({}), p.getTransactionReceipt('0x'))`,
  },
  'New heads over a WebSocket': {
    'evm-rpc': `import { createEvmClient, subscribe, webSocket } from '@fairlead/evm-rpc'
      const c = createEvmClient({ transport: webSocket(${address}) })
      for await (const head of subscribe(c, 'newHeads')) console.log(head.number)`,
    viem: `import { createClient, webSocket } from 'viem'
      import { watchBlocks } from 'viem/actions'
      watchBlocks(createClient({ transport: webSocket('wss://node.example.com/ws/t0k3n') }), { onBlock: console.log })`,
    ethers: `import { WebSocketProvider } from 'ethers'
      new WebSocketProvider('wss://node.example.com/ws/t0k3n').on('block', console.log)`,
  },
  'One call of a beacon node': {
    beacon: `import { createBeaconClient } from '@fairlead/beacon'
      console.log(await createBeaconClient(${address}).GET('/eth/v1/beacon/genesis'))`,
    lodestar: `${lodestar}
      console.log((await api.beacon.getGenesis()).value())`,
  },
  'Events of a beacon node': {
    beacon: `import { createBeaconClient, events } from '@fairlead/beacon'
      for await (const event of events(createBeaconClient(${address}), { topics: ['head'] })) console.log(event.data)`,
    lodestar: `${lodestar}
      api.events.eventstream({ topics: ['head'], signal: new AbortController().signal, onEvent: console.log })`,
  },
  'One call of a TON node': {
    'jetton/v2': `import { createJettonV2Client } from '@fairlead/jetton/v2'
      const params = { address: '${account}' }
      console.log(await createJettonV2Client(${address}).call({ method: 'getAddressInformation', params }))`,
    'jetton/v3': `import { createJettonV3Client } from '@fairlead/jetton/v3'
      const params = { query: { address: '${account}' } }
      console.log(await createJettonV3Client(${address}).GET('/api/v3/jetton/burns', { params }))`,
    '@ton/ton': `import { Address, TonClient } from '@ton/ton'
      console.log(await new TonClient({ endpoint: '${endpoint}' }).getContractState(Address.parse('${account}')))`,
    tonweb: `import TonWeb from 'tonweb'
      console.log(await new TonWeb.HttpProvider('${endpoint}').getAddressInfo('${account}'))`,
  },
  'Stream of jetton burns': {
    'jetton/v3': `import { createJettonV3Client, watchBurns } from '@fairlead/jetton/v3'
      const jetton = createJettonV3Client(${address})
      for await (const { burn } of watchBurns(jetton, { address: '${account}' })) console.log(burn.amount)`,
  },
  'Conversion of a TON address': {
    jetton: `import { addressForm } from '@fairlead/jetton/address'
      console.log(addressForm('${account}', 'raw'))`,
    '@ton/core': `import { Address } from '@ton/core'
      console.log(Address.parse('${account}').toRawString())`,
    tonweb: `import TonWeb from 'tonweb'
      console.log(new TonWeb.utils.Address('${account}').toString(false))`,
  },
}

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 1,
  software: { packages: ['rolldown', 'viem', 'ethers', '@lodestar/api', '@ton/ton', '@ton/core', 'tonweb'] },
})
// In the folder of this file, so that packages are resolved as for any program here.
const folder = await mkdtemp(join(import.meta.dirname, '.bundle-size-'))
try {
  for (const [title, programs] of Object.entries(shapes)) {
    const windows: Record<string, readonly number[]> = {}
    for (const [name, code] of Object.entries(programs)) windows[name] = [(await bundledBytes(code)) / 1_000]
    const names = Object.keys(programs)
    const [baseline = ''] = names
    const size = { name: 'minified and compressed', unit: 'kB', better: 'lower', isExact: true } as const
    const roles = Object.fromEntries(
      names.map((name) => [name, isOurs(name) ? 'fairlead' : 'alternative'] as const),
    )
    report.add({ title, roles, measures: [{ ...size, baseline, windows }], errors: 0 })
  }
  await report.finish()
} finally {
  await rm(folder, { recursive: true, force: true })
}

function isOurs(name: string): boolean {
  return /^(?:evm-rpc|beacon|jetton)/.test(name)
}

async function bundledBytes(code: string): Promise<number> {
  const input = join(folder, 'program.js')
  await writeFile(input, code)
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['@fairlead/source', 'browser', 'import'] },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const text = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('')
  return gzipSync(text, { level: 9 }).length
}
