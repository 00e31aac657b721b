import { FairleadError } from '@fairlead/core'
import type { Answer, Operation } from '../../operations.ts'
import type { SszAnswer, SszPath, SszPostPath } from '../get-ssz.ts'
import { splitLightClientUpdates } from '../light-client-updates.ts'
import type { RequestBody, SszPost, SszRequestPath } from '../post-ssz.ts'
import { type AnswerFacts, answers } from './answers.ts'
import type { ForkDigests } from './fork-digests.ts'
import { typesOf } from './fork-types.ts'
import { requests } from './requests.ts'

const updatesPath = '/eth/v1/beacon/light_client/updates'

/** The paths whose SSZ answer is one value; light client updates are several, each of its own fork. */
export type DecodablePath = Exclude<SszPath | SszPostPath, typeof updatesPath>

type JsonOf<path extends SszPath | SszPostPath> = path extends SszPath
  ? Answer<Operation<path, 'get'>>
  : Answer<Operation<path, 'post'>>

/**
 * Turns an SSZ answer into what the same operation answers in JSON.
 *
 * The types are those of the preset that `LODESTAR_PRESET` in the environment names when this module is first imported:
 * `mainnet` when it is not set, `minimal` for development networks.
 *
 * @param path - path of the operation
 * @param answer - what `getSsz` or `queryForSsz` gave for it
 * @returns `data` in the JSON form of the specification (decimal strings, 0x hex), with everything that stood beside it
 * @throws FairleadError `DECODE_INVALID` when the bytes are not of the type, or the node did not say of which fork they are
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
  answer: SszAnswer<JsonOf<path>>,
): JsonOf<path> {
  const { bytes, ...envelope } = answer as SszAnswer<unknown> & AnswerFacts
  const codec = answers[path]?.(typesOf(path, envelope.version), envelope)
  return { ...envelope, data: converted(path, () => codec?.decode(bytes)) } as JsonOf<path>
}

/**
 * Turns light client updates in SSZ into what the operation answers in JSON.
 *
 * @param answer - what `getSsz` gave for `/eth/v1/beacon/light_client/updates`
 * @param digests - the fork of each digest, as {@link forkDigests} gives it
 * @returns `{ version, data }` for every update
 * @throws FairleadError `DECODE_INVALID` when the bytes are broken or a digest is of another network
 * @example
 * ```ts
 * const updates = decodeLightClientUpdates(await getSsz(beacon, path, { params }), await forkDigests(genesis, spec))
 * ```
 * @see getLightClientUpdatesByRange
 */
export function decodeLightClientUpdates(
  { bytes }: { readonly bytes: Uint8Array },
  digests: ForkDigests,
): Answer<Operation<typeof updatesPath, 'get'>> {
  const updates = splitLightClientUpdates(bytes).map((update) => {
    const version = digests[update.fork_digest]
    if (!version) {
      const context = { path: 'fork_digest', rule: 'must be one of the network' }
      throw new FairleadError('DECODE_INVALID', { operation: updatesPath, ...context })
    }
    const type = typesOf(updatesPath, version)('LightClientUpdate')
    return { version, data: converted(updatesPath, () => type.decode(update.bytes)) }
  })
  return updates as Answer<Operation<typeof updatesPath, 'get'>>
}

/**
 * Makes the SSZ form of a request body, for `postSsz`.
 *
 * @param path - path of the operation
 * @param version - the fork of the object, as the operation wants it in `Eth-Consensus-Version`
 * @param json - the body in the JSON form of the specification
 * @returns the bytes
 * @throws FairleadError `CONFIG_INVALID` when the value is not of the type
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
    const bytes = requests[path]?.(typesOf(path, version), version, json).encode(json)
    if (bytes) return bytes
  } catch {
    // What it says quotes the value.
  }
  throw new FairleadError('CONFIG_INVALID', { option: 'json', rule: `must be of ${path} in fork ${version}` })
}

// The words of the library quote the bytes.
function converted(operation: string, decode: () => unknown): unknown {
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
