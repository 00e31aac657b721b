import { FairleadError } from '@fairlead/core'
import type { ResponseBody, Operation } from '../../operations.ts'
import type { SszAnswer, SszPath, SszPostPath } from '../get-ssz.ts'
import { splitLightClientUpdates } from '../light-client-updates.ts'
import type { RequestBody, SszPost, SszRequestPath } from '../post-ssz.ts'
import { type ResponseMetadata, responseTypes } from './response-types.ts'
import type { ForkDigests } from './fork-digests.ts'
import { typesOf } from './fork-types.ts'
import { requestTypes } from './request-types.ts'

const updatesPath = '/eth/v1/beacon/light_client/updates'

/**
 * The paths whose SSZ response is one value. Light client updates are excluded: they are several values, each with its
 * own fork.
 */
export type DecodablePath = Exclude<SszPath | SszPostPath, typeof updatesPath>

type JsonOf<path extends SszPath | SszPostPath> = path extends SszPath
  ? ResponseBody<Operation<path, 'get'>>
  : ResponseBody<Operation<path, 'post'>>

/**
 * Decodes an SSZ response into the JSON response of the same operation.
 *
 * The types are those of the preset that the environment variable `LODESTAR_PRESET` names when this module is first
 * imported: `mainnet` when it is not set, `minimal` for development networks.
 *
 * @param path - path of the operation
 * @param response - the result of `getSsz` or `queryForSsz`
 * @returns `data` in the JSON form of the specification (decimal strings, 0x hex), with all other fields of the
 *   response
 * @throws FairleadError `DECODE_INVALID` when the bytes do not match the type, or the node did not report their fork
 * @example
 * ```ts
 * const path = '/eth/v2/beacon/blocks/{block_id}'
 * const block = decodeSsz(path, await getSsz(beacon, path, { params: { path: { block_id: 'head' } } }))
 * if (block.version === 'fulu') console.log(block.data.message.body.execution_payload.block_number)
 * ```
 * @see consensus-specs ssz/simple-serialize.md
 */
export function decodeSsz<path extends DecodablePath>(
  path: path,
  response: SszAnswer<JsonOf<path>>,
): JsonOf<path> {
  const { bytes, ...envelope } = response as SszAnswer<unknown> & ResponseMetadata
  const codec = responseTypes[path]?.(typesOf(path, envelope.version), envelope)
  return { ...envelope, data: convert(path, () => codec?.decode(bytes)) } as JsonOf<path>
}

/**
 * Decodes light client updates from SSZ into the JSON response of the operation.
 *
 * @param answer - the result of `getSsz` for `/eth/v1/beacon/light_client/updates`
 * @param digests - the fork of each digest, from {@link forkDigests}
 * @returns `{ version, data }` for every update
 * @throws FairleadError `DECODE_INVALID` when the bytes are invalid or a digest belongs to another network
 * @example
 * ```ts
 * const updates = decodeLightClientUpdates(await getSsz(beacon, path, { params }), await forkDigests(genesis, spec))
 * ```
 * @see getLightClientUpdatesByRange
 */
export function decodeLightClientUpdates(
  { bytes }: { readonly bytes: Uint8Array },
  digests: ForkDigests,
): ResponseBody<Operation<typeof updatesPath, 'get'>> {
  const updates = splitLightClientUpdates(bytes).map((update) => {
    const version = digests[update.fork_digest]
    if (!version) {
      const details = { path: 'fork_digest', rule: 'must be one of the network' }
      throw new FairleadError('DECODE_INVALID', { operation: updatesPath, ...details })
    }
    const type = typesOf(updatesPath, version)('LightClientUpdate')
    return { version, data: convert(updatesPath, () => type.decode(update.bytes)) }
  })
  return updates as ResponseBody<Operation<typeof updatesPath, 'get'>>
}

/**
 * Encodes a request body as SSZ, for `postSsz`.
 *
 * @param path - path of the operation
 * @param version - the fork of the object, as in the header `Eth-Consensus-Version`
 * @param json - the body in the JSON form of the specification
 * @returns the bytes
 * @throws FairleadError `CONFIG_INVALID` when the value does not match the type
 * @example
 * ```ts
 * const path = '/eth/v2/beacon/blocks'
 * await postSsz(beacon, path, { version: 'fulu', ssz: encodeSsz(path, 'fulu', block), json: () => block })
 * ```
 * @see consensus-specs ssz/simple-serialize.md
 */
export function encodeSsz<path extends SszRequestPath>(
  path: path,
  version: SszPost<Operation<path, 'post'>>['version'],
  json: RequestBody<Operation<path, 'post'>>,
): Uint8Array {
  try {
    const bytes = requestTypes[path]?.(typesOf(path, version), version, json).encode(json)
    if (bytes) return bytes
  } catch {
    // The message of the original error quotes the value, so it is not included.
  }
  throw new FairleadError('CONFIG_INVALID', { option: 'json', rule: `must be of ${path} in fork ${version}` })
}

// The error message of the library quotes the bytes, so it is not included.
function convert(operation: string, decode: () => unknown): unknown {
  try {
    return decode()
  } catch {
    throw new FairleadError('DECODE_INVALID', {
      operation,
      path: 'bytes',
      rule: 'must be SSZ of this type and preset',
    })
  }
}
