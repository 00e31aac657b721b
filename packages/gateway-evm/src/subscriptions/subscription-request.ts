import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { type LogFilter, readLogFilter } from './log-filter.ts'

/** Kinds of subscriptions. */
export const subscriptionKinds = [
  'newHeads',
  'logs',
  'newPendingTransactions',
  'syncing',
  'transactionReceipts',
] as const

/** One of {@link subscriptionKinds}. */
export type SubscriptionKind = (typeof subscriptionKinds)[number]

/** A validated subscription request. Equal requests have the same key. */
export type SubscriptionRequest = {
  readonly key: string
  /** Number of account addresses, topics and hashes in the request. */
  readonly size: number
} & (
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  /** Forwarded to the upstream unchanged. */
  | {
      readonly kind: Exclude<SubscriptionKind, 'newHeads' | 'logs'>
      readonly params: readonly unknown[]
    }
)

/**
 * Validates the params of `eth_subscribe`.
 *
 * @param params - kind, and the options of that kind
 * @throws {@link RpcError} -32602 that names the violated rule, never the value
 */
export function readSubscriptionRequest(params: unknown): SubscriptionRequest {
  if (!Array.isArray(params)) throw invalid('the params must be an array')
  const [kind, options, ...rest] = params as unknown[]
  if (!isKind(kind)) throw invalid(`the kind must be one of ${subscriptionKinds.join(', ')}`)
  if (rest.length > 0) throw invalid('at most two params are allowed, the kind and its options')
  switch (kind) {
    case 'newHeads':
    case 'syncing':
      // Some clients send an empty object in place of options.
      if (!isEmpty(options)) throw invalid(`${kind} has no options`)
      return kind === 'newHeads' ? { kind, key: kind, size: 0 } : { kind, params: [kind], key: kind, size: 0 }
    case 'logs': {
      const filter = readLogFilter(options)
      const size = filter.addresses.length + filter.topics.flat().length
      return { kind, filter, key: `logs ${JSON.stringify(filter)}`, size }
    }
    case 'newPendingTransactions': {
      if (!isEmpty(options) && typeof options !== 'boolean') {
        throw invalid('the option of newPendingTransactions must be true or false')
      }
      const isFull = options === true
      return { kind, params: isFull ? [kind, true] : [kind], key: `${kind} ${isFull}`, size: 0 }
    }
    case 'transactionReceipts': {
      const hashes = readHashes(options)
      const normalized = hashes === undefined ? [kind] : [kind, { transactionHashes: hashes }]
      return { kind, params: normalized, key: JSON.stringify(normalized), size: hashes?.length ?? 0 }
    }
    default:
      return kind satisfies never
  }
}

/** Whether the subscription matches every log of the chain. */
export function isUnfilteredLogs(request: SubscriptionRequest): boolean {
  return request.kind === 'logs' && request.size === 0
}

function readHashes(options: unknown): string[] | undefined {
  if (isEmpty(options)) return undefined
  const { transactionHashes, ...others } = Object(options) as Record<string, unknown>
  const isList = Array.isArray(transactionHashes) && transactionHashes.length <= 1_000
  const hashes = isList
    ? transactionHashes.map((hash: unknown) => (typeof hash === 'string' ? hash.toLowerCase() : ''))
    : []
  const isWellFormed = isList && hashes.every((hash) => /^0x[0-9a-f]{64}$/.test(hash))
  if (!isWellFormed || Object.keys(others).length > 0) {
    throw invalid(
      'the options of transactionReceipts must contain only transactionHashes, a list of at most 1000 hashes',
    )
  }
  return [...new Set(hashes)].toSorted()
}

function isKind(kind: unknown): kind is SubscriptionKind {
  return (subscriptionKinds as readonly unknown[]).includes(kind)
}

function isEmpty(options: unknown): boolean {
  return (
    options === undefined ||
    options === null ||
    (typeof options === 'object' && !Array.isArray(options) && Object.keys(options).length === 0)
  )
}

function invalid(rule: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `eth_subscribe: ${rule}.`)
}
