import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Method } from '@fairlead/core'
import { type Devnet, startDevnet } from '@fairlead/devnet'
import { chains, document, methods, schemas } from '@fairlead/evm-rpc/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ProbeResponse, readProbeResponse } from '../probe/read-response.ts'
import { readSample } from '../probe/read-sample.ts'
import { recipeOf } from '../probe/recipes.ts'
import { type ListenerFixture, listenTo, token } from '../testing/listener-fixture.ts'

let directory: string
let devnet: Devnet
let gateway: ListenerFixture

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-methods-'))
  devnet = await startDevnet({ dataDirectory: directory, chains: ['evm'] })
  gateway = await listenTo(devnet.chains[0]?.url ?? '')
}, 60_000)

afterAll(async () => {
  await gateway.stop()
  await devnet.stop()
  await rm(directory, { recursive: true, force: true })
})

// The development chain has neither these methods nor the methods to derive them from.
const missingMethods: readonly string[] = [
  'debug_accountAt',
  'debug_accountRange',
  'debug_chainConfig',
  'debug_executionWitness',
  'debug_getBadBlocks',
  'debug_getModifiedAccountsByHash',
  'debug_getModifiedAccountsByNumber',
  'debug_getRawBlock',
  'debug_getRawBlockAccessList',
  'debug_getRawHeader',
  'debug_getRawReceipts',
  'debug_intermediateRoots',
  'debug_storageRangeAt',
  'debug_traceBadBlock',
  'debug_traceBlock',
  'erigon_forks',
  'erigon_getBalanceChangesInBlock',
  'erigon_getLatestLogs',
  'erigon_nodeInfo',
  'eth_bigBlockGasPrice',
  'eth_callMany',
  'eth_capabilities',
  'eth_getBlockAccessList',
  'eth_getBlockAccessListByBlockHash',
  'eth_getBlockAccessListByBlockNumber',
  'eth_getBlockAccessListRaw',
  'eth_usingBigBlocks',
  'net_peerCount',
  'rpc_modules',
  'trace_blockOpcodeGas',
  'trace_call',
  'trace_callMany',
  'trace_get',
  'trace_rawTransaction',
  'trace_replayTransaction',
  'trace_transactionOpcodeGas',
]

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: document, components: { schemas } })

const send =
  (path: string) =>
  async (method: string, params: readonly unknown[]): Promise<ProbeResponse> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${gateway.url}/${token}${path}`, { method: 'POST', body })
    return readProbeResponse(await response.text())
  }

// They require signed transactions. The end-to-end tests send some.
const isSubmission = (name: string) => name.startsWith('eth_sendRaw')

it.each<[string, readonly string[]]>([
  ['', chains.evm.methods],
  ['/evm', chains['high-throughput'].methods],
])(
  'every method of %j returns what the contract defines, or the error for a missing method',
  async (path, offered) => {
    const sample = await readSample(send(path))
    const problems: unknown[] = []
    const missing: string[] = []
    for (const name of offered) {
      const method: Method = methods[name as keyof typeof methods]
      const recipe = recipeOf(method)
      if (!recipe || isSubmission(name) || method.transports?.includes('http') === false) continue
      const params = await recipe.params(sample, send(path))
      const response = await send(path)(name, params)
      await recipe.cleanUp?.(response, params, send(path))
      if (response.error?.code === -32_601) missing.push(name)
      else if (!response.hasResult) problems.push({ name, params, ...response })
      else if (!ajv.validate(method.result, response.result)) {
        problems.push({
          name,
          params,
          errors: ajv.errorsText(),
          result: JSON.stringify(response.result).slice(0, 300),
        })
      }
    }
    expect(problems).toEqual([])
    expect(missing.toSorted()).toEqual(missingMethods.filter((name) => offered.includes(name)))
  },
  60_000,
)
