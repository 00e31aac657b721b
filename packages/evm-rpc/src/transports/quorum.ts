import { type CallOptions, FairleadError } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { requireTransports, requireWhole } from './configuration.ts'
import { isIdempotent } from './idempotent.ts'
import { callsOf, failed, type Outcome, sendAll } from './outcomes.ts'

/** Required agreement of the nodes. */
export interface QuorumOptions {
  /** Number of nodes that must return the same response, including the same error object. */
  readonly needed: number
}

/**
 * Sends a call to all nodes and returns the response that enough of them agree on.
 *
 * Responses are equal when their content is equal, whatever the order of members and the case of hex digits. Error
 * objects are equal when code and data are. The result is available as soon as enough nodes agree, and then the other
 * exchanges are aborted. A call that changes state, such as `eth_sendRawTransaction`, goes to the first node only.
 * Nodes legitimately differ about changing values, such as `eth_blockNumber`, `eth_gasPrice` or the block `latest`:
 * query those outside a quorum, and then use a number or hash. Subscriptions are not supported.
 *
 * @param transports - the nodes
 * @param options - `needed`, from 1 to the number of nodes
 * @returns a transport; a call fails with `RPC_QUORUM` when too few nodes agree, or with the error object that enough
 *   agree on
 * @throws FairleadError `CONFIG_INVALID` when `needed` cannot be reached
 * @example
 * ```ts
 * const transport = quorum([http(first), http(second), http(third)], { needed: 2 })
 * ```
 */
export function quorum(transports: readonly Transport[], { needed }: QuorumOptions): Transport {
  requireTransports(transports)
  requireWhole('needed', needed, 1, transports.length)
  const asked = transports.length

  function send(requests: readonly RpcRequest[], options: CallOptions = {}): Promise<readonly Outcome[]> {
    if (requests.length === 0) return Promise.resolve([])
    const { signal } = options
    const enough = new AbortController()
    const calls = requests.map((request) => {
      const voters = isIdempotent(request.method) ? asked : 1
      return { request, voters, vote: createPoll(request.method, voters, needed) }
    })
    const decided = new Map<(typeof calls)[number], Outcome>()
    return new Promise((resolve) => {
      const leave = (): void => resolve(requests.map(() => failed(signal?.reason)))
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })

      async function ask(transport: Transport, asks: typeof calls): Promise<void> {
        const signals = signal ? [signal, enough.signal] : [enough.signal]
        const outcomes = await sendAll(
          transport,
          asks.map(({ request }) => request),
          { ...options, signal: AbortSignal.any(signals) },
        )
        for (const [place, call] of asks.entries()) {
          const decision = call.vote(outcomes[place] as Outcome)
          if (decision && !decided.has(call)) decided.set(call, decision)
        }
        if (decided.size < calls.length || enough.signal.aborted) return
        signal?.removeEventListener('abort', leave)
        resolve(calls.flatMap((call) => decided.get(call) ?? []))
        enough.abort()
      }
      for (const [place, transport] of transports.entries()) {
        const asks = calls.filter(({ voters }) => place < voters)
        if (asks.length > 0) void ask(transport, asks)
      }
    })
  }

  return {
    ...callsOf(send),
    close() {
      for (const transport of transports) transport.close?.()
    },
  }
}

/** Counts the responses to one call; each vote returns whether the poll is decided. */
function createPoll(
  operation: string,
  voters: number,
  needed: number,
): (outcome: Outcome) => Outcome | undefined {
  const tally = new Map<string, number>()
  let silent = voters
  return (outcome) => {
    silent--
    if (voters === 1) return outcome
    const name = nameOf(outcome)
    if (name !== undefined) tally.set(name, (tally.get(name) ?? 0) + 1)
    if (name !== undefined && tally.get(name) === needed) return outcome
    const agreed = Math.max(0, ...tally.values())
    if (agreed >= needed || agreed + silent >= needed) return undefined
    return failed(new FairleadError('RPC_QUORUM', { operation, needed, agreed, asked: voters }))
  }
}

/** A key that is equal for equal responses; undefined for a missing response. */
function nameOf(outcome: Outcome): string | undefined {
  if (outcome.status === 'fulfilled') return `result ${canonical(outcome.value)}`
  if (!FairleadError.is(outcome.reason, 'RPC_ERROR')) return undefined
  const { rpcCode, data } = outcome.reason.context
  return `error ${rpcCode} ${canonical(data)}`
}

/** Serializes a value so that equal values yield the same text: members in order, hex digits in lower case. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return /^0x[0-9a-f]*$/i.test(item) ? item.toLowerCase() : item
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}
