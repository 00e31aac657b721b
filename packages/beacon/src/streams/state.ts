import type { BeaconClient } from '../client.ts'
import type { ResponseBody, Operation } from '../operations.ts'
import { type ItemStream, streamLists, type StreamOptions } from './items.ts'

const path = '/eth/v2/debug/beacon/states/{state_id}'

/** The response of the operation, of any fork. */
export type StateAnswer = ResponseBody<Operation<typeof path, 'get'>>

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
 * Reads lists of a state item by item, in a few megabytes of memory. The state of a public network has more than a
 * gigabyte of JSON. Use `streamSsz` for bytes, which is smaller and faster.
 *
 * The timeouts are those of {@link streamForkChoice}.
 *
 * @param beacon - a client
 * @param options - `state_id`, `lists` (names of the fields), `signal` and `idleMs`
 * @returns `{ list, item }` in the order of the state; `context` has the response with every list empty. A list that
 *   does not exist in the fork of the state has no items
 * @throws FairleadError `HTTP_STATUS`; `TRANSPORT_*`, also in the middle; `DECODE_INVALID` when the response is invalid
 *   or incomplete
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
    { parent: ['data'], lists, skipOtherLists: true },
    ({ list, items }) => items.map((item) => ({ list, item }) as StateItem<list>),
  )
}
