import type { BeaconClient } from '../client.ts'
import type { Answer, Operation } from '../operations.ts'
import { type ItemStream, streamLists, type StreamOptions } from './items.ts'

const path = '/eth/v2/debug/beacon/states/{state_id}'

/** The answer of the operation, of any fork. */
export type StateAnswer = Answer<Operation<typeof path, 'get'>>

type State = StateAnswer['data']
type ItemsByList<state> = state extends unknown
  ? { [field in keyof state as state[field] extends readonly unknown[] ? field : never]: state[field] }
  : never
type AnyList = ItemsByList<State>
type FieldOf<lists> = lists extends unknown ? keyof lists : never
type ItemOf<lists, list> = lists extends { [field in list & string]: readonly (infer item)[] } ? item : never

/** Names of the lists of a state, of any fork. */
export type StateList = FieldOf<AnyList>

/** One item of a list. */
export type StateItem<list extends StateList> = list extends unknown
  ? { readonly list: list; readonly item: ItemOf<AnyList, list> }
  : never

/**
 * Reads lists of a state item by item, in a few megabytes of memory: a state of a public network has more than a gigabyte of
 * JSON. Where bytes are wanted, `streamSsz` is smaller and faster.
 *
 * Limits of time are those of {@link streamForkChoice}.
 *
 * @param beacon - a client
 * @param options - `state_id`, `lists` (names of the fields), `signal` and `idleMs`
 * @returns `{ list, item }` in the order of the state; `context` has the answer with every list empty. A list that the fork of
 *   the state does not have brings nothing
 * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*` also in the middle, `DECODE_INVALID` when the answer is broken or not
 *   complete
 * @example
 * ```ts
 * let total = 0n
 * for await (const { item } of streamState(beacon, { state_id: 'finalized', lists: ['balances'] })) total += BigInt(item)
 * ```
 * @see getStateV2
 */
export function streamState<const list extends StateList>(
  beacon: BeaconClient,
  options: StreamOptions & { readonly state_id: string; readonly lists: readonly list[] },
): ItemStream<StateItem<list>, StateAnswer> {
  const { state_id, lists, signal, idleMs } = options
  return streamLists(
    beacon,
    { path, init: { signal, params: { path: { state_id } } }, idleMs },
    { parent: ['data'], lists, passesOver: true },
    ({ list, items }) => items.map((item) => ({ list, item }) as StateItem<list>),
  )
}
