// What a web page has to load for one use of a library: minified and compressed, next to what peers cost for the same.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const address = `{ url: 'https://node.example.com', auth: { kind: 'token', token: 't0k3n' } }`
const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'one call over HTTP': {
    'evm-rpc': `import { createEvmClient } from '@fairlead/evm-rpc'
      console.log(await createEvmClient(${address}).request({ method: 'eth_blockNumber' }))`,
    viem: `import { createClient, http } from 'viem'
      console.log(await createClient({ transport: http('https://node.example.com/t0k3n') }).request({ method: 'eth_blockNumber' }))`,
    ethers: `import { JsonRpcProvider } from 'ethers'
      console.log(await new JsonRpcProvider('https://node.example.com/t0k3n').send('eth_blockNumber', []))`,
  },
  'ten actions over HTTP': {
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
  'heads over a WebSocket': {
    'evm-rpc': `import { createEvmClient, subscribe, webSocket } from '@fairlead/evm-rpc'
      const c = createEvmClient({ transport: webSocket(${address}) })
      for await (const head of subscribe(c, 'newHeads')) console.log(head.number)`,
    viem: `import { createClient, webSocket } from 'viem'
      import { watchBlocks } from 'viem/actions'
      watchBlocks(createClient({ transport: webSocket('wss://node.example.com/ws/t0k3n') }), { onBlock: console.log })`,
    ethers: `import { WebSocketProvider } from 'ethers'
      new WebSocketProvider('wss://node.example.com/ws/t0k3n').on('block', console.log)`,
  },
}

// Beside this file, so that packages are found as any program here finds them.
const folder = await mkdtemp(join(import.meta.dirname, '.bundle-size-'))
try {
  for (const [shape, programs] of Object.entries(shapes)) {
    console.log(shape)
    let floor: number | undefined
    for (const [name, code] of Object.entries(programs)) {
      const bytes = await bundledBytes(code)
      floor ??= bytes
      console.log(
        `  ${name.padEnd(10)} ${(bytes / 1_000).toFixed(2).padStart(7)} kB  x${(bytes / floor).toFixed(1)}`,
      )
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
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
