import type { BeaconClient } from '../client.ts'
import type { ForkChoice, ForkChoiceNode } from '../generated/index.ts'
import { type ItemStream, streamLists, type StreamOptions } from './items.ts'

/** The fields of a fork choice except its nodes. */
export type ForkChoiceContext = Omit<ForkChoice, 'fork_choice_nodes'>

/**
 * Reads the fork choice of a beacon node block by block, in a few megabytes of memory for any size.
 *
 * The request is sent when the stream is first read. `timeoutMs` of the client limits the wait for the headers,
 * `idleMs` the wait for each further chunk. The whole response has no time limit.
 *
 * @param beacon - a client
 * @param options - `signal` and `idleMs`
 * @returns the nodes in the order of the response; `context` has the checkpoints and `extra_data`. After the first node
 *   it has the fields that precede the nodes (usually both checkpoints), after the last node all fields
 * @throws FairleadError `HTTP_STATUS` (404 or 501: the node does not support it); `TRANSPORT_*`, also in the middle;
 *   `DECODE_INVALID` when the response is invalid or incomplete. A list that ends without an error is complete
 * @example
 * ```ts
 * const stream = streamForkChoice(beacon)
 * for await (const { slot, weight, validity } of stream) console.log(slot, BigInt(weight), validity)
 * console.log(stream.context.finalized_checkpoint)
 * ```
 * @see getDebugForkChoice
 */
export function streamForkChoice(
  beacon: BeaconClient,
  { signal, idleMs }: StreamOptions = {},
): ItemStream<ForkChoiceNode, ForkChoiceContext> {
  return streamLists(
    beacon,
    { path: '/eth/v1/debug/fork_choice', init: { signal }, idleMs },
    { parent: [], lists: ['fork_choice_nodes'] },
    ({ items }) => items as readonly ForkChoiceNode[],
  )
}
