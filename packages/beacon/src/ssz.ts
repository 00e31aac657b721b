/**
 * Converts SSZ to and from the JSON form of the specification. Requires `@lodestar/types`.
 *
 * @module
 */
export { decodeLightClientUpdates, type DecodablePath, decodeSsz, encodeSsz } from './ssz/codec/codec.ts'
export { forkDigests, type ForkDigests } from './ssz/codec/fork-digests.ts'
