import { methods } from '@fairlead/evm-rpc/contract'
import type { Method } from '@fairlead/core'
import type { Response } from './rpc-client.ts'
import { isResultOf } from './contract.ts'
import type { Case } from './geth-cases.ts'

/** A difference between go-ethereum and the gateway that a specification permits. */
export interface AllowedDifference {
  /** The specification and the relevant statement. */
  readonly source: string
  /** All methods if omitted. */
  readonly methods?: readonly string[]
  allows(call: Case, direct: Response, viaGateway: Response): boolean
}

const invalidParams = -32602
const methodNotFound = -32601

const byName: Readonly<Record<string, Method>> = methods

const geth = 'geth'
const isOfGeth = (name: string) => byName[name]?.availability?.includes(geth) === true

export const allowedDifferences: readonly AllowedDifference[] = [
  {
    source:
      'specs/evm/openrpc.yaml: methods without geth in x-availability, composed from calls that geth has',
    allows: ({ method }, { error }, { result }) =>
      !isOfGeth(method) && error?.code === methodNotFound && isResultOf(method, result),
  },
  {
    source: 'JSON-RPC 2.0, section 5.1: -32602 for invalid parameters; the method is in the contract',
    allows: ({ isMalformed }, { error }, viaGateway) =>
      isMalformed && error?.code === methodNotFound && viaGateway.error?.code === invalidParams,
  },
  {
    source: 'specs/evm/methods/eth/eth_accounts.yaml: a hosted node has no accounts',
    methods: ['eth_accounts'],
    allows: (_, { error }, { result }) => error === undefined && JSON.stringify(result) === '[]',
  },
  {
    source: 'specs/evm/methods/eth/eth_accounts.yaml: a hosted node has no accounts, so it cannot sign',
    methods: ['eth_sendTransaction', 'eth_sign', 'eth_signTransaction'],
    allows: (_, { error: direct }, { error: viaGateway }) =>
      direct !== undefined && viaGateway?.code === methodNotFound,
  },
  {
    source: 'specs/evm/methods/eth/eth_unsubscribe.yaml: x-transports has websocket only',
    methods: ['eth_unsubscribe'],
    allows: (_, { error: direct }, { error: viaGateway }) =>
      direct !== undefined && viaGateway?.code === methodNotFound,
  },
  {
    source: 'specs/evm/methods/eth/eth_newFilter.yaml: a filter exists only on the node that created it',
    methods: ['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter', 'eth_subscribe'],
    allows: ({ method }, direct, viaGateway) =>
      isResultOf(method, direct.result) && isResultOf(method, viaGateway.result),
  },
  {
    source: 'execution-apis, src/testing/testing_buildBlockV1.yaml: must not be exposed by a public API',
    methods: ['testing_buildBlockV1'],
    allows: (_, __, { error }) => error?.code === methodNotFound,
  },
  {
    source: 'specs/evm/methods/debug/debug_accountRange.yaml: incompletes is not required',
    methods: ['debug_accountRange'],
    allows: ({ method, params }, { error }, { result }) =>
      params.length === 5 && error?.code === invalidParams && isResultOf(method, result),
  },
  {
    source: 'specs/evm/methods/eth/eth_getBlockByHash.yaml: null for a hash that is unknown or invalid',
    methods: ['eth_getBlockByHash'],
    allows: (_, { error }, { result }) => error?.code === invalidParams && result === null,
  },
  {
    source: 'specs/evm/methods/eth/eth_feeHistory.yaml: rewardPercentiles is not required',
    methods: ['eth_feeHistory'],
    allows: ({ method }, { error }, { result }) =>
      error?.code === invalidParams && isResultOf(method, result),
  },
  {
    source: 'specs/evm/schemas/debug.yaml: storage of a StorageRange is an object',
    methods: ['debug_storageRangeAt'],
    allows: ({ method }, direct, { result }) =>
      (direct.result as { storage?: unknown } | undefined)?.storage === null && isResultOf(method, result),
  },
]
