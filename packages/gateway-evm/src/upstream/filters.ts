import { parseObject } from '@fairlead/gateway-core/json'
import { timingSafeEqual } from 'node:crypto'
import type { CancellationSignal } from '@fairlead/http1'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { callText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { BufferedResponse } from './buffered-response.ts'
import type { CallInfo } from './types.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { bufferShortResponse } from './buffer-response.ts'
import type { PooledUpstream } from './types.ts'
import type { Fingerprint } from '@fairlead/gateway-core/upstream/upstream-registry'

// Only the upstream that has made a filter knows it, and some number theirs, so that two have filters of one number and
// anybody can guess the number of somebody else's. A client therefore gets the upstream's id behind a mark, by which every
// process and replica tells who has made the filter, and for whom; nothing has to be remembered.

const making: ReadonlySet<string> = new Set([
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
])
const using: ReadonlySet<string> = new Set([
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
])

const hexadecimal = /^0x[0-9a-f]+$/i
// A quantity does not begin with a zero.
const sealed = /^0x1([0-9a-f]{16})([0-9a-f]+)$/i
const markBytes = 8

/** Whether a call makes a filter. */
export function makesFilter(method: string): boolean {
  return making.has(method)
}

/** Whether a call uses a filter that was made before. */
export function usesFilter(method: string): boolean {
  return using.has(method)
}

/**
 * Checks the id of a call that uses a filter.
 *
 * @returns the failure for an id that is no text; nodes refuse it before they look for the filter
 */
export function badFilterId({ params: [id] }: CallInfo): RpcError | undefined {
  if (typeof id === 'string') return undefined
  return new RpcError(rpcCodes.invalidParams, 'invalid argument 0: must be the id of a filter.')
}

/** A call to the upstream that has made the filter which it uses. */
export interface FilterCall {
  readonly owner: PooledUpstream
  readonly body: string
  readonly asked: CallInfo
}

/**
 * Finds the upstream that has made the filter of a call, and puts the upstream's own id into the call.
 *
 * @param asked - a call that uses a filter
 * @param members - the upstreams of the node
 * @param fingerprint - as when the filter was made
 * @returns undefined when none of them has made it for the owner of the call
 */
export function openFilter(
  asked: CallInfo,
  members: readonly PooledUpstream[],
  fingerprint: Fingerprint,
): FilterCall | undefined {
  const { method, params, owner, idText = '1' } = asked
  const [id] = params
  const [, mark, digits] = (typeof id === 'string' && sealed.exec(id)) || []
  if (mark === undefined || digits === undefined) return undefined
  const given = Buffer.from(mark, 'hex')
  const maker = members.find((member) => timingSafeEqual(given, markOf(fingerprint, digits, member, owner)))
  const own = [`0x${digits}`]
  return (
    maker && {
      owner: maker,
      body: callText(method, JSON.stringify(own), idText),
      asked: { ...asked, params: own },
    }
  )
}

/**
 * Puts the mark of its maker and its owner before the id of a new filter.
 *
 * @param asked - the call that has made it
 * @param maker - who has answered
 * @param answer - not yet read
 * @param signal - what the exchange runs under
 * @param fingerprint - makes the mark
 */
export async function signFilter(
  { owner }: CallInfo,
  maker: PooledUpstream,
  answer: UpstreamResponse,
  signal: CancellationSignal,
  fingerprint: Fingerprint,
): Promise<UpstreamResponse> {
  const held = await bufferShortResponse(answer, signal)
  const { id, result } = parseObject(String(held.bytes))
  if (typeof result !== 'string' || !hexadecimal.test(result)) return held
  const digits = result.slice(2)
  const mark = markOf(fingerprint, digits, maker, owner).toString('hex')
  return new BufferedResponse(Buffer.from(resultText(JSON.stringify(id ?? null), `"0x1${mark}${digits}"`)))
}

/** The answer to a call that uses a filter which is not there; undefined where nodes answer an error. */
export function withoutFilter({ method, idText = '1' }: CallInfo): UpstreamResponse | undefined {
  return method === 'eth_uninstallFilter'
    ? new BufferedResponse(Buffer.from(resultText(idText, 'false')))
    : undefined
}

// The address alone is no key: that of a public provider can be guessed.
function markOf(fingerprint: Fingerprint, digits: string, { record }: PooledUpstream, owner = ''): Buffer {
  const mark = fingerprint(`${owner} ${digits}`, `filter ${record.address}`)
  return Buffer.from(mark, 'base64url').subarray(0, markBytes)
}
