import { timingSafeEqual } from 'node:crypto'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Call } from '../call.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import type { PooledUpstream } from './types.ts'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'

// A filter exists only on the upstream that created it. Some upstreams number their filters, so two upstreams may use
// the same id, and anyone can guess the id of another client's filter. A client therefore receives the upstream's id
// with a prepended mark. From the mark, every process and replica derives which upstream created the filter, and for
// which owner. No state has to be stored.

const hexadecimal = /^0x[0-9a-f]+$/i
// A quantity does not begin with a zero.
const signedId = /^0x1([0-9a-f]{16})([0-9a-f]+)$/i
const markBytes = 8

/**
 * Checks the filter id of a call.
 *
 * @returns the error for an id that is not a string; upstreams reject it before they look up the filter
 */
export function invalidFilterId({ params: [id] }: Call): RpcError | undefined {
  if (typeof id === 'string') return undefined
  return new RpcError(rpcCodes.invalidParams, 'invalid argument 0: must be the id of a filter.')
}

/** A call to the upstream that created the filter. */
export interface FilterCall {
  readonly owner: PooledUpstream
  readonly call: Call
}

/**
 * Finds the upstream that created the filter of a call, and replaces the id in the call with the upstream's own id.
 *
 * @param call - a call that uses a filter
 * @param members - the upstreams of the node
 * @param fingerprint - the same as when the filter was created
 * @returns undefined when none of the upstreams has created it for the owner of the call
 */
export function openFilter(
  call: Call,
  members: readonly PooledUpstream[],
  fingerprint: Fingerprint,
): FilterCall | undefined {
  const [id] = call.params
  const [, mark, digits] = (typeof id === 'string' && signedId.exec(id)) || []
  if (mark === undefined || digits === undefined) return undefined
  const suppliedMark = Buffer.from(mark, 'hex')
  const creator = members.find((member) =>
    timingSafeEqual(suppliedMark, markOf(fingerprint, digits, member, call.grant)),
  )
  const upstreamParams = [`0x${digits}`]
  return (
    creator && {
      owner: creator,
      call: { ...call, params: upstreamParams, paramsText: JSON.stringify(upstreamParams) },
    }
  )
}

/**
 * Prepends a mark of the creating upstream and the owner to the id of a new filter.
 *
 * @param call - the call that created the filter
 * @param creator - upstream that responded
 * @param response - not yet read
 * @param signal - cancellation signal of the exchange
 * @param fingerprint - computes the mark
 */
export async function signFilter(
  { grant }: Call,
  creator: PooledUpstream,
  response: UpstreamResponse,
  signal: CancellationSignal,
  fingerprint: Fingerprint,
): Promise<UpstreamResponse> {
  const buffered = await response.bufferShort(signal)
  const { result } = buffered.parse()
  if (typeof result !== 'string' || !hexadecimal.test(result)) return buffered
  const digits = result.slice(2)
  const mark = markOf(fingerprint, digits, creator, grant).toString('hex')
  return UpstreamResponse.ofResult(`"0x1${mark}${digits}"`)
}

/** Returns the response to a call that uses a missing filter. Undefined where upstreams return an error. */
export function withoutFilter({ method }: Call): UpstreamResponse | undefined {
  return method === 'eth_uninstallFilter' ? UpstreamResponse.ofResult('false') : undefined
}

// The URL alone is not a secret key: the URL of a public provider can be guessed.
function markOf(
  fingerprint: Fingerprint,
  digits: string,
  { record }: PooledUpstream,
  owner: Grant | undefined,
): Buffer {
  const mark = fingerprint(`${owner?.nodeId ?? ''} ${digits}`, `filter ${record.address}`)
  return Buffer.from(mark, 'base64url').subarray(0, markBytes)
}
