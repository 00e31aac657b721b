import { type CallOptions, FairleadError } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { requireTransports, requireWhole } from './configuration.ts'
import { isIdempotent } from './idempotent.ts'
import { callsOf, failed, type Outcome, sendAll } from './outcomes.ts'

/** How many nodes have to agree. */
export interface QuorumOptions {
  /** How many nodes must give the same answer, the same error object included. */
  readonly needed: number
}

/**
 * Asks all nodes and answers with what enough of them agree on.
 *
 * Answers are the same when they hold the same, whatever the order of members and the case of hex digits; error objects are
 * when code and data are. The result is known as soon as enough agree, and then the other exchanges are aborted. A call that
 * acts, such as `eth_sendRawTransaction`, goes to the first node alone. Nodes differ rightly about what moves, such as
 * `eth_blockNumber`, `eth_gasPrice` or the block `latest`: ask those outside a quorum, and then by number or hash. There are
 * no subscriptions here.
 *
 * @param transports - the nodes to ask
 * @param options - `needed`, from 1 to the number of nodes
 * @returns a transport; a call fails with `RPC_QUORUM` when too few agree, or with the error object that enough agree on
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

/** Counts the answers to one call; each vote tells whether it is decided. */
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

/** The same for answers that are the same; none for one that never came. */
function nameOf(outcome: Outcome): string | undefined {
  if (outcome.status === 'fulfilled') return `result ${canonical(outcome.value)}`
  if (!FairleadError.is(outcome.reason, 'RPC_ERROR')) return undefined
  const { rpcCode, data } = outcome.reason.context
  return `error ${rpcCode} ${canonical(data)}`
}

/** Writes a value of the wire so that the same things give the same text: members in order, hex digits in lower case. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return /^0x[0-9a-f]*$/i.test(item) ? item.toLowerCase() : item
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}
