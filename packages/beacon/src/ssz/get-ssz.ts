import { unwrap } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import type { Answer, CallInit, Operation, OptionalInit, PathAnswering } from '../operations.ts'
import { openBody } from '../streams/body.ts'
import { envelopeOf, octetStream, requireOctetStream, type SszEnvelope } from './envelope.ts'

/** The paths whose GET can answer in SSZ. */
export type SszPath = PathAnswering<'get', 'application/octet-stream'>

/** The paths that take a list by POST and can answer in SSZ. */
export type SszPostPath = PathAnswering<'post', 'application/octet-stream'>

/** An SSZ answer: the JSON answer with `bytes` in place of `data`. */
export type SszAnswer<json> = SszEnvelope<json> & { readonly bytes: Uint8Array }

/** An SSZ answer whose bytes come piece by piece. */
export type SszStream<json> = SszEnvelope<json> & { readonly stream: ReadableStream<Uint8Array> }

/**
 * Gets an answer as SSZ: a fraction of the size of JSON, and nothing to parse where the bytes are only passed on.
 *
 * `decodeSsz` of `@fairlead/beacon/ssz` makes the JSON form of the specification from them.
 *
 * @param beacon - a client
 * @param path - path of a GET operation that offers `application/octet-stream`; others do not compile
 * @param init - parameters as for `beacon.GET`, and `signal`
 * @returns the bytes, `version` (the fork they belong to), and what else the node says in headers, by its JSON name
 * @throws FairleadError `HTTP_STATUS` 406 from a node that has no SSZ; `DECODE_INVALID` when it answers in another format all
 *   the same; `TRANSPORT_*`
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
): Promise<SszAnswer<Answer<Operation<path, 'get'>>>> {
  return readSsz(beacon, 'GET', path, init)
}

/**
 * Gets the answer to a list of validators as SSZ: as {@link getSsz}, for the operations that take the list by POST.
 *
 * @param beacon - a client
 * @param path - path of a POST operation that answers in SSZ
 * @param init - parameters, the list as `body`, and `signal`
 * @returns the bytes, and what the node says in headers
 * @throws FairleadError as {@link getSsz}
 * @example
 * ```ts
 * const init = { params: { path: { state_id: 'head' } }, body: ['0', '1'] }
 * const { bytes } = await queryForSsz(beacon, '/eth/v1/beacon/states/{state_id}/validator_balances', init)
 * ```
 */
export function queryForSsz<path extends SszPostPath>(
  beacon: BeaconClient,
  path: path,
  init: CallInit<Operation<path, 'post'>> & { readonly body?: readonly string[] },
): Promise<SszAnswer<Answer<Operation<path, 'post'>>>> {
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
 * Gets an answer as SSZ piece by piece: for a state, which is too large to hold.
 *
 * `timeoutMs` of the client limits the wait for the headers, `idleMs` that for each further piece.
 *
 * @param beacon - a client
 * @param path - path of a GET operation that offers `application/octet-stream`
 * @param init - parameters as for `beacon.GET`, `signal`, and `idleMs`
 * @returns the bytes as a stream, which fails with `TRANSPORT_*` when they break off; cancelling it frees the connection
 * @throws FairleadError as {@link getSsz}
 * @example
 * ```ts
 * const params = { path: { state_id: 'finalized' } }
 * const { stream, version } = await streamSsz(beacon, '/eth/v2/debug/beacon/states/{state_id}', { params })
 * await stream.pipeTo(file)
 * ```
 */
export async function streamSsz<path extends SszPath>(
  beacon: BeaconClient,
  path: path,
  ...[init]: OptionalInit<CallInit<Operation<path, 'get'>> & { readonly idleMs?: number | undefined }>
): Promise<SszStream<Answer<Operation<path, 'get'>>>> {
  const { idleMs, ...call } = (init ?? {}) as { idleMs?: number; signal?: AbortSignal }
  const { response, body } = await openBody(beacon, { path, init: call, accept: octetStream, idleMs })
  return { ...envelopeOf<Answer<Operation<path, 'get'>>>(response.headers), stream: body }
}
