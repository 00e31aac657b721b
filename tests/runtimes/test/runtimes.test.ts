import { bun, chromiumArguments, chromium as chromiumPath, deno, oldestNode } from '@fairlead/toolchains'
import { EdgeVM } from '@edge-runtime/vm'
import { execFile } from 'node:child_process'
import { rm, mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { createWalletClient, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Report, Task } from '../program/any-runtime.ts'

const run = promisify(execFile)
const {
  nodes: [node, beaconNode, jettonNode, solanaNode],
} = inject('development')

const account = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 6,
})
const wallet = createWalletClient({
  account,
  chain: foundry,
  transport: http(`${node.node_url}/${node.token}`),
}).extend(publicActions)

let folder: string
beforeAll(async () => {
  // Next to the tests, so that packages are resolved as for any program here.
  folder = await mkdtemp(join(import.meta.dirname, '../.runtimes-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Builds a bundle that passes its report to `show`. Each call signs a new transaction. */
async function program(
  show: string,
  format: 'esm' | 'iife',
  preamble = 'let WebSocketClass, createGrpcClient',
) {
  const request = await wallet.prepareTransactionRequest({ to: account.address, value: 1n })
  const transaction = await wallet.signTransaction(request)
  const beacon = { url: beaconNode.node_url, token: beaconNode.token }
  const jetton = { url: jettonNode.node_url, token: jettonNode.token }
  const solana = { url: solanaNode.grpc_url, token: solanaNode.x_token }
  const task: Task = { url: node.node_url, token: node.token, transaction, beacon, jetton, solana }
  const input = join(folder, `${crypto.randomUUID()}.js`)
  await writeFile(
    input,
    `import { report } from ${JSON.stringify(join(import.meta.dirname, '../program/any-runtime.ts'))}
${preamble}
report(${JSON.stringify(task)}, WebSocketClass, createGrpcClient).then((seen) => ${show}(JSON.stringify(seen)), (error) => ${show}(String(error)))
`,
  )
  const bundle = await rolldown({
    input,
    platform: preamble.includes('import') ? 'node' : 'browser',
    resolve: { conditionNames: ['@fairlead/source', 'import'] },
  })
  const { output } = await bundle.generate({ format })
  await bundle.close()
  const { code } = output[0]
  const file = join(folder, `${crypto.randomUUID()}.mjs`)
  await writeFile(file, code)
  return { code, file }
}

function expectReport(text: string): void {
  const report = JSON.parse(text) as Report
  expect(report).toEqual({
    chainId: '0x7a69',
    parent: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    rejection: 'RPC_ERROR -32602',
    isNotified: true,
    beacon: { version: 'fulu', agrees: true, isNotified: true },
    jetton: { agrees: true, burned: '10000000000' },
    solana: { agrees: true, rejection: 'GRPC_STATUS UNAUTHENTICATED' },
  })
}

const http2 = "import { createGrpcClient } from '@fairlead/grpc'\n"
const noWebSocket = `${http2}const WebSocketClass = undefined`

describe('the clients run in', () => {
  it.each<[string, string | undefined, readonly string[], string]>([
    // This Node.js version has no built-in WebSocket.
    ['Node 20.19', oldestNode(), [], `${http2}import { WebSocket as WebSocketClass } from 'ws'`],
    ['the Node of this run', process.execPath, [], noWebSocket],
    ['Bun', bun(), ['run'], noWebSocket],
    ['Deno', deno(), ['run', '--allow-net=127.0.0.1'], noWebSocket],
  ])('%s', async (name, path, args, preamble) => {
    if (path === undefined)
      return expect.soft(process.platform, `${name} is for another system`).not.toBe('linux')
    const { file } = await program('console.log', 'esm', preamble)
    const { stdout } = await run(path, [...args, file], { timeout: 60_000 })
    expectReport(stdout)
  })

  it('an edge runtime', async () => {
    const { code } = await program('globalThis.done', 'iife')
    const vm = new EdgeVM()
    const text = await new Promise<string>((done) => {
      Object.assign(vm.context, { done })
      vm.evaluate(code)
    })
    expectReport(text)
  })

  it('a browser', async ({ skip }) => {
    const executablePath = chromiumPath()
    if (executablePath === undefined) skip('no Chromium is installed; CHROMIUM names one')
    const { code } = await program('done', 'esm')
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>page</title>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = await chromium.launch({
      executablePath: executablePath as string,
      args: chromiumArguments,
    })
    try {
      const page = await browser.newPage()
      const text = new Promise<string>((done, failed) => {
        page.exposeFunction('done', done).catch(failed)
      })
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await page.addScriptTag({ type: 'module', content: code })
      expectReport(await text)
    } finally {
      await browser.close()
      server.close()
    }
  })
})
