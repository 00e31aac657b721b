import type { Method } from '@fairlead/core'
import type { ProbeResponse } from './read-response.ts'
import { type ChainSample, zeroAddress } from './read-sample.ts'
import { sampleParams } from './sample-params.ts'

/** Calls the node besides the call that is measured. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<ProbeResponse>

/** How a method is called without leaving a trace. */
export interface Recipe {
  params(sample: ChainSample, ask: Ask): readonly unknown[] | Promise<readonly unknown[]>
  /** Undoes what the call has made. */
  tidy?(answer: ProbeResponse, params: readonly unknown[], ask: Ask): Promise<unknown>
}

// No chain takes this for a transaction, so that the node has to refuse it.
const noTransaction = '0x00'
const filter = ({ block }: ChainSample) => ({ fromBlock: block.number, toBlock: block.number })

const uninstall = (id: unknown, ask: Ask) =>
  typeof id === 'string' ? ask('eth_uninstallFilter', [id]) : Promise.resolve()

async function newFilter(sample: ChainSample, ask: Ask): Promise<string> {
  const { result } = await ask('eth_newFilter', [filter(sample)])
  return typeof result === 'string' ? result : '0x1'
}

const makesFilter = (params: (sample: ChainSample) => readonly unknown[]): Recipe => ({
  params,
  tidy: ({ result }, _, ask) => uninstall(result, ask),
})

const readsFilter: Recipe = {
  params: async (sample, ask) => [await newFilter(sample, ask)],
  tidy: (_, [id], ask) => uninstall(id, ask),
}

// No account has the money, and no transaction runs on so little gas.
const impossibleTransaction = {
  from: zeroAddress,
  to: zeroAddress,
  gas: '0x1',
  gasPrice: '0x1',
  nonce: '0x0',
  value: `0x${'f'.repeat(64)}`,
}
const typedData = {
  types: { EIP712Domain: [] },
  primaryType: 'EIP712Domain',
  domain: {},
  message: {},
}

const recipes: Readonly<Record<string, Recipe>> = {
  eth_newFilter: makesFilter((sample) => [filter(sample)]),
  eth_newBlockFilter: makesFilter(() => []),
  eth_newPendingTransactionFilter: makesFilter(() => []),
  eth_getFilterChanges: readsFilter,
  eth_getFilterLogs: readsFilter,
  eth_uninstallFilter: { params: async (sample, ask) => [await newFilter(sample, ask)] },
  eth_subscribe: {
    params: () => ['newHeads'],
    tidy: ({ result }, _, ask) =>
      typeof result === 'string' ? ask('eth_unsubscribe', [result]) : Promise.resolve(),
  },
  eth_unsubscribe: {
    params: async (_, ask) => {
      const { result } = await ask('eth_subscribe', ['newHeads'])
      return [typeof result === 'string' ? result : '0x1']
    },
  },
  eth_sendRawTransaction: { params: () => [noTransaction] },
  eth_sendRawTransactionSync: { params: () => [noTransaction] },
  eth_sendTransaction: { params: () => [impossibleTransaction] },
  eth_signTransaction: { params: () => [impossibleTransaction] },
  eth_sign: { params: () => [zeroAddress, '0x'] },
  personal_sign: { params: () => ['0x', zeroAddress] },
  eth_signTypedData: { params: () => [zeroAddress, typedData] },
  eth_signTypedData_v3: { params: () => [zeroAddress, typedData] },
  eth_signTypedData_v4: { params: () => [zeroAddress, typedData] },
  // A proof of work for no block at all.
  eth_submitWork: { params: () => [`0x${'0'.repeat(16)}`, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(64)}`] },
}

const readingNamespaces = new Set(['debug', 'erigon', 'eth', 'net', 'ots', 'rpc', 'trace', 'txpool', 'web3'])

// What has been named so far among methods that change a node.
const changing =
  /_(add|clear|drop|free|impersonate|import|load|mine|remove|reset|set|start|stop|unlock|write)/i

/**
 * How a method is called; undefined for one that may change something and that nobody has found a harmless call of.
 *
 * @param method - of the contract
 */
export function recipeOf(method: Method): Recipe | undefined {
  if (Object.hasOwn(recipes, method.name)) return recipes[method.name]
  const namespace = method.name.slice(0, method.name.indexOf('_'))
  if (!method.idempotent || !readingNamespaces.has(namespace) || changing.test(method.name)) return undefined
  return { params: (sample) => sampleParams(method, sample) }
}
