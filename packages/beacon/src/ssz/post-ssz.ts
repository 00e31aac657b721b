import { unwrap } from '@fairlead/core'
import type { BeaconClient } from '../client.ts'
import type { paths } from '../generated/index.ts'
import { type Attempt, sendBuffered } from '../nodes/node.ts'
import type { Operation } from '../operations.ts'
import { octetStream } from './envelope.ts'

/** The request body of an operation. */
export type RequestBody<operation, media extends string = 'application/json'> = operation extends {
  requestBody?: { content: Record<media, infer body> }
}
  ? body
  : never

/** The paths whose POST operation accepts SSZ. */
export type SszRequestPath = {
  [path in keyof paths]: RequestBody<Operation<path, 'post'>, 'application/octet-stream'> extends never
    ? never
    : path
}[keyof paths]

const versionHeader = 'Eth-Consensus-Version'

interface Parameters {
  readonly query?: unknown
  readonly header?: unknown
}

type Version<operation> = operation extends { parameters: { header: { [versionHeader]: infer version } } }
  ? { readonly version: version }
  : { readonly version?: never }

type OtherParameters<operation> = operation extends { parameters: infer parameters extends Parameters }
  ? {
      readonly query?: parameters['query']
      readonly header?: Omit<NonNullable<parameters['header']>, typeof versionHeader>
    }
  : never

/** The object to publish, in both forms. */
export type SszPost<operation> = Version<operation> & {
  readonly ssz: Uint8Array
  /** Creates the JSON form; called only for a node that does not support SSZ. */
  readonly json: () => RequestBody<operation>
  readonly params?: OtherParameters<operation>
  /** Cancels the call; the abort reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
}

// Paths for which a node responded with 415, by the URL of the node. The entries live as long as the client.
const jsonOnlyPaths = new WeakMap<object, Set<string>>()

/**
 * Publishes an object as SSZ, or as JSON to a node that does not support SSZ.
 *
 * When a node responds with 415, the JSON form is sent immediately, and all later calls of this operation send JSON.
 *
 * @param beacon - a client
 * @param path - path of a POST operation that accepts `application/octet-stream`; others do not compile
 * @param post - `version` (the fork of the object, where the operation requires it), `ssz` and `json`; `params` and
 *   `signal`
 * @returns the response; status 202 means that a block was broadcast but not imported
 * @throws FairleadError `HTTP_STATUS` (400: rejected), `TRANSPORT_*`
 * @example
 * ```ts
 * await postSsz(beacon, '/eth/v2/beacon/blocks', { version: 'fulu', ssz: bytes, json: () => signedBlockContents })
 * ```
 * @see consensus-specs ssz/simple-serialize.md
 */
export async function postSsz<path extends SszRequestPath>(
  beacon: BeaconClient,
  path: path,
  { version, ssz, json, params, signal }: SszPost<Operation<path, 'post'>>,
): Promise<Response> {
  const attempt: Attempt = async (node, request) => {
    const jsonPaths = jsonOnlyPaths.get(node.address) ?? new Set()
    if (!jsonPaths.has(path)) {
      const response = await sendBuffered(node, request)
      if (response.status !== 415) return response
      jsonOnlyPaths.set(node.address, jsonPaths.add(path))
    }
    const headers = new Headers(request.headers)
    headers.set('content-type', 'application/json')
    const init = { method: 'POST', headers, body: JSON.stringify(json()), signal: request.signal }
    return sendBuffered(node, new Request(request.url, init))
  }
  const call = {
    params,
    signal,
    headers: { 'content-type': octetStream, [versionHeader]: version },
    body: ssz,
    bodySerializer: (bytes: Uint8Array) => bytes,
    fetch: (request: Request) => beacon.transport.fetch(request, attempt),
  }
  const result = beacon.POST(path as never, call as never) as Promise<{ response: Response }>
  await unwrap(result)
  return (await result).response
}
