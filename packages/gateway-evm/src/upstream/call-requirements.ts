import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import type { UpstreamRole } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { CallInfo } from './types.ts'
import type { CallRequirements } from '@fairlead/gateway-core/upstream/select-upstream'

/** Observed state of the chain when the requirements of a call are determined. */
export interface ChainHeads {
  readonly head: number | undefined
  /** Number of blocks behind the chain head for which an ordinary upstream still has the state. */
  readonly archiveDepth: number
}

const roleOfPrefix: readonly (readonly [prefix: string, role: UpstreamRole])[] = [
  ['debug_', 'debug'],
  ['trace_', 'trace'],
  ['arbtrace_', 'trace'],
  ['ots_', 'trace'],
]

// Methods that read the state, or logs by range. Ordinary upstreams also store blocks, receipts and transactions of any
// age.
const readsHistory: ReadonlySet<string> = new Set([
  'erigon_getBalanceChangesInBlock',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_getAccount',
  'eth_getAccountInfo',
  'eth_getBalance',
  'eth_getCode',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getStorageValues',
  'eth_getTransactionCount',
  'eth_simulateV1',
])

const readsLogs: ReadonlySet<string> = new Set(['eth_getLogs', 'erigon_getLogs', 'eth_newFilter'])

const blockPositions: ReadonlyMap<string, number> = new Map(
  Object.values(methods as Readonly<Record<string, Method>>).flatMap(({ name, params }) => {
    const position = params.findIndex((param) => param.name === 'block' || param.name === 'newestBlock')
    return position < 0 ? [] : [[name, position] as const]
  }),
)

/**
 * Determines what a call requires of an upstream. A block hash does not reveal the age of its block.
 *
 * @param info - the call
 * @param chain - observed state of the chain; without a head no block number counts as old
 */
export function callRequirements({ method, params }: CallInfo, chain: ChainHeads): CallRequirements {
  const block = blockOf(method, params)
  for (const [prefix, role] of roleOfPrefix) {
    if (method.startsWith(prefix)) return { role, block }
  }
  const needsArchive = (readsHistory.has(method) || readsLogs.has(method)) && isArchived(block, chain)
  return { role: needsArchive ? 'archive' : 'full', block }
}

function isArchived(block: number | undefined, { head, archiveDepth }: ChainHeads): boolean {
  if (block === undefined) return false
  return block === 0 || (head !== undefined && block < head - archiveDepth)
}

function blockOf(method: string, params: readonly unknown[]): number | undefined {
  if (readsLogs.has(method)) return numberOf(fieldOf(params[0], 'fromBlock'))
  const position = blockPositions.get(method)
  return position === undefined ? undefined : numberOf(params[position])
}

function numberOf(block: unknown): number | undefined {
  const given = typeof block === 'object' ? fieldOf(block, 'blockNumber') : block
  if (typeof given === 'number') return given
  if (given === 'earliest') return 0
  return typeof given === 'string' && /^0x[0-9a-f]{1,13}$/i.test(given) ? Number(given) : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
