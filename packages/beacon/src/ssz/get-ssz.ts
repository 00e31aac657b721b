import { unwrap } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import type { ResponseBody, CallInit, Operation, OptionalInit, PathResponding } from '../operations.ts'
import { openBody } from '../streams/body.ts'
import { envelopeOf, octetStream, requireOctetStream, type SszEnvelope } from './envelope.ts'

/** The paths whose GET operation can respond in SSZ. */
export type SszPath = PathResponding<'get', 'application/octet-stream'>

/** The paths whose POST operation accepts a list and can respond in SSZ. */
export type SszPostPath = PathResponding<'post', 'application/octet-stream'>

/** An SSZ response: the JSON response with `bytes` instead of `data`. */
export type SszAnswer<json> = SszEnvelope<json> & { readonly bytes: Uint8Array }

/** An SSZ response whose bytes arrive as a stream. */
export type SszStream<json> = SszEnvelope<json> & { readonly stream: ReadableStream<Uint8Array> }

/**
 * Sends a GET request and returns the response as SSZ. SSZ is a fraction of the size of JSON, and needs no parsing when
 * the bytes are only forwarded.
 *
 * `decodeSsz` of `@fairlead/beacon/ssz` converts the bytes to the JSON form of the specification.
 *
 * @param beacon - a client
 * @param path - path of a GET operation that offers `application/octet-stream`; others do not compile
 * @param init - parameters as for `beacon.GET`, and `signal`
 * @returns the bytes, `version` (their fork), and the other fields that the node sends as headers, by their JSON names
 * @throws FairleadError `HTTP_STATUS` 406 when the node does not support SSZ; `DECODE_INVALID` when it responds in
 *   another format; `TRANSPORT_*`
 * @example
 * ```ts
 * const params = { path: { block_id: 'finalized' } }
 * const { bytes, version } = await getSsz(beacon, '/eth/v2/beacon/blocks/{block_id}', { params })
 * ```
 * @see consensus-specs ssz/simple-serialize.md
 */
export function getSsz<path extends SszPath>(
  beacon: BeaconClient,
  path: path,
  ...[init]: OptionalInit<CallInit<Operation<path, 'get'>>>
): Promise<SszAnswer<ResponseBody<Operation<path, 'get'>>>> {
  return readSsz(beacon, 'GET', path, init)
}

/**
 * Sends a POST query with a list of validators and returns the response as SSZ, like {@link getSsz}.
 *
 * @param beacon - a client
 * @param path - path of a POST operation that can respond in SSZ
 * @param init - parameters, the list as `body`, and `signal`
 * @returns the bytes, and the fields that the node sends as headers
 * @throws FairleadError as {@link getSsz}
 * @example
 * ```ts
 * const init = { params: { path: { state_id: 'head' } }, body: ['0', '1'] }
 * const { bytes } = await queryForSsz(beacon, '/eth/v1/beacon/states/{state_id}/validator_balances', init)
 * ```
 * @see consensus-specs ssz/simple-serialize.md
 */
export function queryForSsz<path extends SszPostPath>(
  beacon: BeaconClient,
  path: path,
  init: CallInit<Operation<path, 'post'>> & { readonly body?: readonly string[] },
): Promise<SszAnswer<ResponseBody<Operation<path, 'post'>>>> {
  return readSsz(beacon, 'POST', path, init)
}

async function readSsz<json>(
  beacon: BeaconClient,
  method: 'GET' | 'POST',
  path: string,
  init: object | undefined,
): Promise<SszAnswer<json>> {
  const call = { ...init, headers: { accept: octetStream }, parseAs: 'arrayBuffer' }
  const result = beacon.request(method.toLowerCase() as 'get', path as never, call as never)
  const data = (await unwrap(result)) as ArrayBuffer | undefined
  const { headers } = (await result).response
  requireOctetStream(`${method} ${path}`, headers)
  // An empty list has no bytes at all.
  return { ...envelopeOf<json>(headers), bytes: new Uint8Array(data ?? []) }
}

/**
 * Sends a GET request and returns the response as an SSZ stream, for a state that is too large for memory.
 *
 * `timeoutMs` of the client limits the wait for the headers, `idleMs` the wait for each further chunk.
 *
 * @param beacon - a client
 * @param path - path of a GET operation that offers `application/octet-stream`
 * @param init - parameters as for `beacon.GET`, `signal`, and `idleMs`
 * @returns the bytes as a stream, which fails with `TRANSPORT_*` when the connection breaks; cancelling it frees the
 *   connection
 * @throws FairleadError as {@link getSsz}
 * @example
 * ```ts
 * const params = { path: { state_id: 'finalized' } }
 * const { stream, version } = await streamSsz(beacon, '/eth/v2/debug/beacon/states/{state_id}', { params })
 * await stream.pipeTo(file)
 * ```
 * @see consensus-specs ssz/simple-serialize.md
 */
export async function streamSsz<path extends SszPath>(
  beacon: BeaconClient,
  path: path,
  ...[init]: OptionalInit<CallInit<Operation<path, 'get'>> & { readonly idleMs?: number | undefined }>
): Promise<SszStream<ResponseBody<Operation<path, 'get'>>>> {
  const { idleMs, ...call } = (init ?? {}) as { idleMs?: number; signal?: AbortSignal }
  const { response, body } = await openBody(beacon, { path, init: call, accept: octetStream, idleMs })
  return { ...envelopeOf<ResponseBody<Operation<path, 'get'>>>(response.headers), stream: body }
}
