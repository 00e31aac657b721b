import { type CallOptions, FairleadError } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { requireTransports } from './configuration.ts'
import {
  isNodeSpecific,
  isRawTransaction,
  isUnprocessed,
  isNodeFailure,
  mayFallThrough,
} from './fall-through.ts'
import { joinConnections } from './joined-connections.ts'
import { moveSubscription } from './moving-subscription.ts'
import { callsOf, type Outcome, sendAll, succeeded } from './outcomes.ts'
import { createRanking, type RankOptions } from './ranking.ts'
import { findTransactionHash } from './raw-transaction.ts'

/** Order of the nodes, and when to use the next one. */
export interface FallbackOptions {
  /** Uses the best node first, by measured latency and stability. Default `false`: in the given order. */
  readonly rank?: RankOptions | false | undefined
  /** Replaces the default decision whether another node may succeed where one failed. */
  readonly shouldFallThrough?: ((error: unknown, request: RpcRequest) => boolean) | undefined
}

/**
 * Sends a call to one node after another until one responds.
 *
 * It uses the next node when the cause may lie in the node: no response or an invalid one, an HTTP status other than
 * 400, a missing method (-32601, -32004), a limit (-32005, 429), an unavailable or pruned resource (-32002, 4444), an
 * internal error (-32603). It does not for errors that every node would return: a revert, invalid parameters, a nonce.
 * A call that changes state uses the next node only when it was certainly not executed, with one exception: the bytes
 * of `eth_sendRawTransaction` are one transaction, wherever they are sent. If it is unknown whether a node accepted
 * them and the next node rejects them, that node is queried for the hash of these bytes. When it has the transaction,
 * the hash is the result, otherwise its error is thrown. Filters exist on one node only: do not use `eth_newFilter`
 * over a fallback.
 *
 * A ranking pings while there are calls, and its timer does not keep a process alive. A subscription uses the first
 * node that accepts it, and the next one when it ends with an error; then `resumed()` of its listener is called.
 * Connection events cover all connections together: the first one that opens and the last one that closes.
 *
 * @param transports - the nodes, the preferred one first
 * @param options - `rank` (`intervalMs`, `sampleCount`, `weights`, `ping`) and `shouldFallThrough`
 * @returns a transport; `close()` closes all. A call throws the error of the last node that was tried
 * @throws FairleadError `CONFIG_INVALID` when there is no transport or a number is invalid
 * @example
 * ```ts
 * const transport = fallback([webSocket({ url, auth, timeoutMs: 5_000 }), http({ url, auth })], { rank: {} })
 * ```
 * @see EIP-1474, section Error codes
 */
export function fallback(transports: readonly Transport[], options: FallbackOptions = {}): Transport {
  const { rank = false, shouldFallThrough = isNodeSpecific } = options
  requireTransports(transports)
  const ranking = rank ? createRanking(transports, rank) : undefined
  const order = (): readonly Transport[] => ranking?.order() ?? transports
  let isClosed = false

  const fallsThrough = (error: unknown, request: RpcRequest): boolean =>
    !isClosed && shouldFallThrough(error, request) && mayFallThrough(error, request)

  async function send(
    requests: readonly RpcRequest[],
    callOptions?: CallOptions,
  ): Promise<readonly Outcome[]> {
    let pending = requests.map((request, index) => ({ request, index, maybeSent: false }))
    const outcomes: Outcome[] = []
    for (const transport of order()) {
      const sent = pending
      const results = await sendAll(
        transport,
        sent.map(({ request }) => request),
        callOptions,
      )
      pending = []
      for (const [position, call] of sent.entries()) {
        const { request, index, maybeSent } = call
        const outcome = results[position] as Outcome
        outcomes[index] = outcome
        if (callOptions?.signal?.aborted) continue
        const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined
        ranking?.record(transport, !isNodeFailure(error))
        if (outcome.status === 'fulfilled') continue
        if (maybeSent && FairleadError.is(error, 'RPC_ERROR')) {
          const hash = await findTransactionHash(transport, request, callOptions)
          if (hash) outcomes[index] = succeeded(hash)
          if (hash) continue
        }
        if (!fallsThrough(error, request)) continue
        pending.push({
          ...call,
          maybeSent: maybeSent || (isRawTransaction(request) && !isUnprocessed(error)),
        })
      }
      if (pending.length === 0) break
    }
    return outcomes
  }

  return {
    ...callsOf(send),
    ...(transports.some(({ subscribe }) => subscribe) && {
      subscribe: (params, listener) =>
        moveSubscription(
          order,
          params,
          listener,
          (error) => !isClosed && shouldFallThrough(error, { method: 'eth_subscribe', params }),
        ),
    }),
    ...joinConnections(transports),
    close() {
      isClosed = true
      ranking?.stop()
      for (const transport of transports) transport.close?.()
    },
  }
}
