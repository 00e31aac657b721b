import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'

/** Filter of a log subscription. All hex digits are in lower case. */
export interface LogFilter {
  /** Sorted; empty for any. */
  readonly addresses: readonly string[]
  /** By position, each sorted. An empty list matches any topic, but requires that there is one. */
  readonly topics: readonly (readonly string[])[]
}

/** A log as returned by an upstream. */
export interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly logIndex: string
  readonly blockHash: string
}

const maxAddresses = 1_000
const maxAlternatives = 1_000
const maxTopics = 4

/**
 * Parses the options of a log subscription into a canonical form, which is the same for equal filters.
 *
 * `fromBlock` and `toBlock`, which some clients send, have no effect here: a subscription delivers only new logs.
 *
 * @param options - as sent by the caller
 * @throws {@link RpcError} -32602 that names the field and the rule
 */
export function readLogFilter(options: unknown): LogFilter {
  if (options === undefined || options === null) return { addresses: [], topics: [] }
  if (typeof options !== 'object' || Array.isArray(options)) throw invalid('the options', 'must be an object')
  const { address, topics, fromBlock: _, toBlock: __, ...others } = options as Record<string, unknown>
  if (Object.keys(others).length > 0) {
    throw invalid('the options', 'must contain only address and topics')
  }
  return { addresses: readAddresses(address), topics: readTopics(topics) }
}

function readAddresses(address: unknown): string[] {
  if (address === undefined || address === null) return []
  const addresses: unknown[] = Array.isArray(address) ? address : [address]
  if (addresses.length > maxAddresses)
    throw invalid('address', `must contain at most ${maxAddresses} addresses`)
  return sorted(addresses, 20, 'address', 'must be a 20-byte address in hex, or a list of such addresses')
}

function readTopics(topics: unknown): string[][] {
  if (topics === undefined || topics === null) return []
  const rule = 'must be a list of null, 32-byte topics in hex, and lists of such topics'
  if (!Array.isArray(topics)) throw invalid('topics', rule)
  if (topics.length > maxTopics) throw invalid('topics', `must contain at most ${maxTopics} positions`)
  return topics.map((topic: unknown) => {
    if (topic === null) return []
    const alternatives: unknown[] = Array.isArray(topic) ? topic : [topic]
    if (alternatives.length > maxAlternatives) {
      throw invalid('topics', `must contain at most ${maxAlternatives} alternatives per position`)
    }
    // A null among alternatives matches any topic, and so does an empty list.
    return alternatives.includes(null) ? [] : sorted(alternatives, 32, 'topics', rule)
  })
}

function sorted(values: readonly unknown[], bytes: number, field: string, rule: string): string[] {
  const form = new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`)
  const texts = values.map((value) => {
    const text = typeof value === 'string' ? value.toLowerCase() : ''
    if (!form.test(text)) throw invalid(field, rule)
    return text
  })
  return [...new Set(texts)].toSorted()
}

function invalid(field: string, rule: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `eth_subscribe logs: ${field} ${rule}.`)
}
