import { FairleadError } from '@fairlead/core'
import { ssz } from '@lodestar/types'
import type { ConsensusVersion } from '../../generated/index.ts'
import { type JsonCodec, type SszType, valueOf } from './sequence.ts'

const { phase0, altair, bellatrix, capella, deneb, electra, fulu, gloas } = ssz

/** The types of every fork by name, in chronological order of the forks. */
export const typesByFork: Readonly<Record<ConsensusVersion, unknown>> = {
  phase0,
  altair,
  bellatrix,
  capella,
  deneb,
  electra,
  fulu,
  gloas,
}
const forks = Object.keys(typesByFork) as readonly ConsensusVersion[]

/** Returns whether a fork is `first` or a later one. */
export function isFrom(version: string | undefined, first: ConsensusVersion): boolean {
  return forks.indexOf(version as ConsensusVersion) >= forks.indexOf(first)
}

/** Finds the codec of a type by its name, in the fork of the value or in a given one. */
export type FindType = (name: string, fork?: ConsensusVersion) => JsonCodec

/** Creates the type lookup of an operation, which throws FairleadError `DECODE_INVALID`. */
export function typesOf(operation: string, version: string | undefined): FindType {
  return (name, fork) => {
    const forkName = fork ?? forks.find((candidate) => candidate === version)
    const types = forkName && (typesByFork[forkName] as Readonly<Record<string, SszType>>)
    const type = types?.[name]
    if (type) return valueOf(type)
    const rule = forkName ? `must be a fork that has ${name}` : `must be one of ${forks.join(', ')}`
    throw new FairleadError('DECODE_INVALID', { operation, path: 'version', rule })
  }
}

export const uint64: JsonCodec = valueOf(ssz.UintBn64)
export const pubkey: JsonCodec = valueOf(ssz.BLSPubkey)
