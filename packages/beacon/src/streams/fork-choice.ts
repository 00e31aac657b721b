import type { BeaconClient } from '../client.ts'
import type { ForkChoice, ForkChoiceNode } from '../generated/index.ts'
import { type ItemStream, streamLists, type StreamOptions } from './items.ts'

/** Everything of a fork choice but its nodes. */
export type ForkChoiceContext = Omit<ForkChoice, 'fork_choice_nodes'>

/**
 * Reads the fork choice of a node block by block, in a few megabytes of memory however large it is.
 *
 * The call is sent when the stream is first read. `timeoutMs` of the client limits the wait for the headers, `idleMs` that for
 * each further piece; there is no limit for the whole.
 *
 * @param beacon - a client
 * @param options - `signal` and `idleMs`
 * @returns the nodes in the order of the answer; `context` has the checkpoints and `extra_data`: what came before the nodes
 *   once the first one is there (as a rule both checkpoints), all of it after the last one
 * @throws FairleadError `HTTP_STATUS` (404 or 501: the node does not offer it), `TRANSPORT_*` also in the middle,
 *   `DECODE_INVALID` when the answer is broken or not complete: a list that ends without an error is whole
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
