import type { BeaconClient } from '../client.ts'
import type { ResponseBody, CallInit, Operation, OptionalInit, PathResponding } from '../operations.ts'
import { type ItemStream, streamLists } from './items.ts'

type DataResponse<path extends PathResponding<'get', 'application/json'>> = ResponseBody<
  Operation<path, 'get'>
>

/** The paths whose response has a list under `data`. */
export type PathOfList = {
  [path in PathResponding<'get', 'application/json'>]: DataResponse<path> extends { data: readonly unknown[] }
    ? path
    : never
}[PathResponding<'get', 'application/json'>]

type ItemOf<response> = response extends { data: readonly (infer item)[] } ? item : never

/**
 * Reads a long list item by item, in a few megabytes of memory: all validators, balances, pending deposits.
 *
 * The timeouts are those of {@link streamForkChoice}.
 *
 * @param beacon - a client
 * @param path - path of a GET operation whose response has a list under `data`
 * @param init - parameters as for `beacon.GET`, `signal`, and `idleMs` (maximum wait for the next chunk in
 *   milliseconds)
 * @returns the items in the order of the response; `context` has the fields other than `data`, such as `finalized`
 * @throws FairleadError `HTTP_STATUS`; `TRANSPORT_*`, also in the middle; `DECODE_INVALID` when the response is invalid
 *   or incomplete
 * @example
 * ```ts
 * const params = { path: { state_id: 'finalized' } }
 * for await (const { index, balance } of streamData(beacon, '/eth/v1/beacon/states/{state_id}/validators', { params })) {
 *   console.log(index, BigInt(balance))
 * }
 * ```
 * @see specs/beacon/openapi.yaml
 */
export function streamData<path extends PathOfList>(
  beacon: BeaconClient,
  path: path,
  ...[init]: OptionalInit<CallInit<Operation<path, 'get'>> & { readonly idleMs?: number | undefined }>
): ItemStream<ItemOf<DataResponse<path>>, Omit<DataResponse<path>, 'data'>> {
  const { idleMs, ...call } = (init ?? {}) as { idleMs?: number; signal?: AbortSignal }
  return streamLists(
    beacon,
    { path, init: call, idleMs },
    { parent: [], lists: ['data'] },
    ({ items }) => items as readonly ItemOf<DataResponse<path>>[],
  )
}
