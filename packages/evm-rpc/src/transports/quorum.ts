import { type CallOptions, FairleadError } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { requireTransports, requireInteger } from './configuration.ts'
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
 * @returns a transport; a call fails with `RPC_QUORUM` when too few nodes agree (its `cause` is the last failure of a node), or with the error object that enough
 *   agree on
 * @throws FairleadError `CONFIG_INVALID` when `needed` cannot be reached
 * @example
 * ```ts
 * const transport = quorum([http(first), http(second), http(third)], { needed: 2 })
 * ```
 * @see specs/evm/openrpc.yaml
 */
export function quorum(transports: readonly Transport[], { needed }: QuorumOptions): Transport {
  requireTransports(transports)
  requireInteger('needed', needed, 1, transports.length)
  const total = transports.length

  function send(requests: readonly RpcRequest[], options: CallOptions = {}): Promise<readonly Outcome[]> {
    if (requests.length === 0) return Promise.resolve([])
    const { signal } = options
    const quorumReached = new AbortController()
    const calls = requests.map((request) => {
      const voters = isIdempotent(request.method) ? total : 1
      return { request, voters, vote: createPoll(request.method, voters, needed) }
    })
    const decided = new Map<(typeof calls)[number], Outcome>()
    return new Promise((resolve) => {
      const onAbort = (): void => resolve(requests.map(() => failed(signal?.reason)))
      if (signal?.aborted) return onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })

      async function query(transport: Transport, pending: typeof calls): Promise<void> {
        const signals = signal ? [signal, quorumReached.signal] : [quorumReached.signal]
        const outcomes = await sendAll(
          transport,
          pending.map(({ request }) => request),
          { ...options, signal: AbortSignal.any(signals) },
        )
        for (const [position, call] of pending.entries()) {
          const decision = call.vote(outcomes[position] as Outcome)
          if (decision && !decided.has(call)) decided.set(call, decision)
        }
        if (decided.size < calls.length || quorumReached.signal.aborted) return
        signal?.removeEventListener('abort', onAbort)
        resolve(calls.flatMap((call) => decided.get(call) ?? []))
        quorumReached.abort()
      }
      for (const [position, transport] of transports.entries()) {
        const pending = calls.filter(({ voters }) => position < voters)
        if (pending.length > 0) void query(transport, pending)
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
  let outstanding = voters
  let lastFailure: FairleadError | undefined
  return (outcome) => {
    outstanding--
    if (outcome.status === 'rejected' && FairleadError.is(outcome.reason)) lastFailure = outcome.reason
    if (voters === 1) return outcome
    const key = keyOf(outcome)
    if (key !== undefined) tally.set(key, (tally.get(key) ?? 0) + 1)
    if (key !== undefined && tally.get(key) === needed) return outcome
    const agreed = Math.max(0, ...tally.values())
    if (agreed >= needed || agreed + outstanding >= needed) return undefined
    const details = { operation, needed, agreed, asked: voters }
    return failed(new FairleadError('RPC_QUORUM', details, lastFailure && { cause: lastFailure }))
  }
}

/** A key that is equal for equal responses; undefined for a missing response. */
function keyOf(outcome: Outcome): string | undefined {
  if (outcome.status === 'fulfilled') return `result ${canonical(outcome.value)}`
  if (!FairleadError.is(outcome.reason, 'RPC_ERROR')) return undefined
  const { rpcCode, data } = outcome.reason.details
  return `error ${rpcCode} ${canonical(data)}`
}

/** Serializes a value so that equal values yield the same text: members in order, hex digits in lower case. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return /^0x[0-9a-f]*$/i.test(item) ? item.toLowerCase() : item
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
