import { type FaultyUpstream, faultyUpstream, type Scripted } from './faulty-upstream.ts'

/** A filter of `eth_getLogs` or `trace_filter`. */
export interface TestFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[] | null)[]
  readonly fromAddress?: readonly string[]
  readonly toAddress?: readonly string[]
  readonly after?: number
  readonly count?: number
}

interface TestLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly blockNumber: string
  readonly blockHash: string
  readonly logIndex: string
}

/** A query as an upstream receives it, and the number of its results. */
export interface ReceivedQuery {
  readonly filter: TestFilter
  readonly blocks: number
  readonly found: number
}

/** The error of a query that an upstream rejects. */
export type Rejection = (query: ReceivedQuery) => Readonly<Record<string, unknown>> | undefined

export const hex = (number: number): string => `0x${number.toString(16)}`
const word = (number: number, digits: number) => `0x${number.toString(16).padStart(digits, '0')}`
/** Addresses of logs and traces. */
export const accounts: readonly string[] = Array.from({ length: 40 }, (_, at) => word(0xa0 + at, 40))
/** Topics of logs. */
export const topics: readonly string[] = Array.from({ length: 20 }, (_, at) => word(0x70 + at, 64))

/** A chain with random logs, and a trace for each log. */
export class LogChain {
  readonly head: number
  readonly logs: readonly TestLog[]

  /** @param logsPerBlock - maximum number; some blocks have none */
  constructor(random: () => number, head: number, logsPerBlock = 3) {
    this.head = head
    const one = (values: readonly string[]) => values[Math.floor(random() * values.length)] as string
    this.logs = Array.from({ length: head + 1 }, (_, block) => {
      const count = Math.max(0, Math.floor(random() * (logsPerBlock + 2)) - 1)
      return Array.from({ length: count }, (__, index) => ({
        address: one(accounts),
        topics: Array.from({ length: Math.floor(random() * 4) }, () => one(topics)),
        blockNumber: hex(block),
        blockHash: word(block, 64),
        logIndex: hex(index),
      }))
    }).flat()
  }

  rangeOf({ fromBlock = 'latest', toBlock = 'latest', blockHash }: TestFilter): readonly [number, number] {
    if (blockHash !== undefined) return [Number(blockHash), Number(blockHash)]
    const numberOf = (block: string) =>
      block === 'earliest' ? 0 : block.startsWith('0x') ? Number(block) : this.head
    return [numberOf(fromBlock), numberOf(toBlock)]
  }

  getLogs(filter: TestFilter): readonly TestLog[] {
    const { address, topics: wanted = [] } = filter
    const matches = (value: string | undefined, options: string | readonly string[] | null | undefined) =>
      options === undefined ||
      options === null ||
      options.length === 0 ||
      [options].flat().includes(value ?? '')
    return this.#within(filter).filter(
      (log) =>
        matches(log.address, address) &&
        wanted.every(
          (options, at) => (at < log.topics.length || options === null) && matches(log.topics[at], options),
        ),
    )
  }

  traceFilter(filter: TestFilter): readonly object[] {
    const { fromAddress = [], toAddress = [], after = 0, count = Infinity } = filter
    return this.#within(filter)
      .filter(({ address }) => fromAddress.length === 0 || fromAddress.includes(address))
      .filter(({ address }) => toAddress.length === 0 || toAddress.includes(address))
      .slice(after, after + count)
      .map(({ address, blockNumber, logIndex }) => ({
        action: { from: address, to: address },
        blockNumber: Number(blockNumber),
        traceAddress: [Number(logIndex)],
      }))
  }

  #within(filter: TestFilter): readonly TestLog[] {
    const [from, to] = this.rangeOf(filter)
    return this.logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to)
  }
}

/** An upstream that rejects some queries. */
export interface LimitedUpstream extends FaultyUpstream {
  /** The queries so far, by method. */
  readonly queries: Readonly<Record<'eth_getLogs' | 'trace_filter', readonly ReceivedQuery[]>>
}

/** Starts an upstream with a chain until the running test ends. */
export async function limitedUpstream(chain: LogChain, rejection: Rejection): Promise<LimitedUpstream> {
  const queries = { eth_getLogs: [] as ReceivedQuery[], trace_filter: [] as ReceivedQuery[] }
  const responseTo =
    (method: keyof typeof queries, run: (filter: TestFilter) => readonly object[]) =>
    ([param]: readonly unknown[]): Scripted => {
      const filter = param as TestFilter
      const result = run(filter)
      const [from, to] = chain.rangeOf(filter)
      const query = { filter, blocks: to - from + 1, found: result.length }
      queries[method].push(query)
      const error = rejection(query)
      return error ? { error } : { result }
    }
  const upstream = await faultyUpstream('limited', {
    head: chain.head,
    finalized: chain.head - 10,
    responses: {
      eth_getLogs: responseTo('eth_getLogs', (filter) => chain.getLogs(filter)),
      trace_filter: responseTo('trace_filter', (filter) => chain.traceFilter(filter)),
    },
  })
  return Object.assign(upstream, { queries })
}
