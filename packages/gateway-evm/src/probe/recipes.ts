import type { Method } from '@fairlead/core'
import type { ProbeResponse } from './read-response.ts'
import { type ChainSample, zeroAddress } from './read-sample.ts'
import { sampleParams } from './sample-params.ts'

/** Calls the upstream in addition to the measured call. */
export type Send = (method: string, params: readonly unknown[]) => Promise<ProbeResponse>

/** How to call a method without side effects that remain. */
export interface Recipe {
  params(sample: ChainSample, send: Send): readonly unknown[] | Promise<readonly unknown[]>
  /** Removes what the call created. */
  cleanUp?(response: ProbeResponse, params: readonly unknown[], send: Send): Promise<unknown>
}

// No chain accepts this as a transaction, so the upstream must reject it.
const invalidTransaction = '0x00'
const filter = ({ block }: ChainSample) => ({ fromBlock: block.number, toBlock: block.number })

const uninstall = (id: unknown, send: Send) =>
  typeof id === 'string' ? send('eth_uninstallFilter', [id]) : Promise.resolve()

async function newFilter(sample: ChainSample, send: Send): Promise<string> {
  const { result } = await send('eth_newFilter', [filter(sample)])
  return typeof result === 'string' ? result : '0x1'
}

const makesFilter = (params: (sample: ChainSample) => readonly unknown[]): Recipe => ({
  params,
  cleanUp: ({ result }, _, send) => uninstall(result, send),
})

const readsFilter: Recipe = {
  params: async (sample, send) => [await newFilter(sample, send)],
  cleanUp: (_, [id], send) => uninstall(id, send),
}

// No account has this balance, and no transaction can run with this gas limit.
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
  eth_uninstallFilter: { params: async (sample, send) => [await newFilter(sample, send)] },
  eth_subscribe: {
    params: () => ['newHeads'],
    cleanUp: ({ result }, _, send) =>
      typeof result === 'string' ? send('eth_unsubscribe', [result]) : Promise.resolve(),
  },
  eth_unsubscribe: {
    params: async (_, send) => {
      const { result } = await send('eth_subscribe', ['newHeads'])
      return [typeof result === 'string' ? result : '0x1']
    },
  },
  eth_sendRawTransaction: { params: () => [invalidTransaction] },
  eth_sendRawTransactionSync: { params: () => [invalidTransaction] },
  eth_sendTransaction: { params: () => [impossibleTransaction] },
  eth_signTransaction: { params: () => [impossibleTransaction] },
  eth_sign: { params: () => [zeroAddress, '0x'] },
  personal_sign: { params: () => ['0x', zeroAddress] },
  eth_signTypedData: { params: () => [zeroAddress, typedData] },
  eth_signTypedData_v3: { params: () => [zeroAddress, typedData] },
  eth_signTypedData_v4: { params: () => [zeroAddress, typedData] },
  // A proof of work for no existing block.
  eth_submitWork: { params: () => [`0x${'0'.repeat(16)}`, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(64)}`] },
}

const readingNamespaces = new Set(['debug', 'erigon', 'eth', 'net', 'ots', 'rpc', 'trace', 'txpool', 'web3'])

// Name patterns of known methods that change a node.
const changing =
  /_(add|clear|drop|free|impersonate|import|load|mine|remove|reset|set|start|stop|unlock|write)/i

/**
 * Returns the recipe of a method. Undefined for a method that may change state and has no known harmless call.
 *
 * @param method - method of the specification
 */
export function recipeOf(method: Method): Recipe | undefined {
  if (Object.hasOwn(recipes, method.name)) return recipes[method.name]
  const namespace = method.name.slice(0, method.name.indexOf('_'))
  if (!method.idempotent || !readingNamespaces.has(namespace) || changing.test(method.name)) return undefined
  return { params: (sample) => sampleParams(method, sample) }
}
