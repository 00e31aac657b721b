import { ssz } from '@lodestar/types'
import type { ConsensusVersion } from '../../generated/index.ts'
import { isFrom } from './fork-types.ts'

/** Fork names by digest (0x and 8 hex digits, lower case). */
export type ForkDigests = Readonly<Record<string, ConsensusVersion>>

const forkVersions = {
  phase0: 'GENESIS',
  altair: 'ALTAIR',
  bellatrix: 'BELLATRIX',
  capella: 'CAPELLA',
  deneb: 'DENEB',
  electra: 'ELECTRA',
  fulu: 'FULU',
  gloas: 'GLOAS',
} as const satisfies Record<ConsensusVersion, string>

interface BlobParameters {
  readonly epoch: bigint
  readonly maxBlobs: bigint
}

/**
 * Computes the fork digests of a network.
 *
 * @param genesis - `data` of `GET /eth/v1/beacon/genesis`; only `genesis_validators_root` is read
 * @param spec - `data` of `GET /eth/v1/config/spec`; fork versions and epochs, and the blob schedule are read
 * @returns the fork of every digest; from Fulu on a fork has one digest for each entry of the blob schedule
 * @example
 * ```ts
 * const { data: genesis } = await unwrap(beacon.GET('/eth/v1/beacon/genesis'))
 * const { data: spec } = await unwrap(beacon.GET('/eth/v1/config/spec'))
 * const digests = await forkDigests(genesis, spec)
 * ```
 * @see consensus-specs phase0/beacon-chain.md and fulu/beacon-chain.md, compute_fork_digest
 */
export async function forkDigests(
  genesis: { readonly genesis_validators_root: string },
  spec: Readonly<Record<string, unknown>>,
): Promise<ForkDigests> {
  const digests: Record<string, ConsensusVersion> = {}
  const schedule = blobSchedule(spec)
  const forks = Object.entries(forkVersions) as [ConsensusVersion, string][]
  for (const [index, [fork, prefix]] of forks.entries()) {
    const version = spec[`${prefix}_FORK_VERSION`]
    if (typeof version !== 'string') continue
    const root = ssz.phase0.ForkData.hashTreeRoot({
      currentVersion: ssz.Version.fromJson(version),
      genesisValidatorsRoot: ssz.Root.fromJson(genesis.genesis_validators_root),
    })
    const first = epochOf(spec, prefix)
    const next = forks[index + 1]
    const end = next ? epochOf(spec, next[1]) : farFuture
    const masks = isFrom(fork, 'fulu')
      ? await Promise.all(activeBetween(schedule, first, end).map(maskOf))
      : [noMask]
    for (const mask of masks)
      digests[hexOf(root.subarray(0, 4).map((byte, at) => byte ^ (mask[at] ?? 0)))] = fork
  }
  return digests
}

const farFuture = 2n ** 64n - 1n
const noMask = new Uint8Array(4)

function epochOf(spec: Readonly<Record<string, unknown>>, prefix: string): bigint {
  return prefix === 'GENESIS' ? 0n : BigInt((spec[`${prefix}_FORK_EPOCH`] as string | undefined) ?? farFuture)
}

// Without entries, the limit of Electra applies.
function blobSchedule(spec: Readonly<Record<string, unknown>>): readonly BlobParameters[] {
  const entries = (spec['BLOB_SCHEDULE'] ?? []) as readonly { EPOCH: string; MAX_BLOBS_PER_BLOCK: string }[]
  const maxBlobs = BigInt((spec['MAX_BLOBS_PER_BLOCK_ELECTRA'] as string | undefined) ?? 0)
  return [
    { epoch: epochOf(spec, 'ELECTRA'), maxBlobs },
    ...entries.map((entry) => ({ epoch: BigInt(entry.EPOCH), maxBlobs: BigInt(entry.MAX_BLOBS_PER_BLOCK) })),
  ].toSorted((a, b) => Number(a.epoch - b.epoch))
}

/** The entries that apply at some time between two epochs. */
function activeBetween(
  schedule: readonly BlobParameters[],
  first: bigint,
  end: bigint,
): readonly BlobParameters[] {
  return schedule.filter(({ epoch }, index) => {
    const nextEpoch = schedule[index + 1]?.epoch ?? farFuture
    return epoch < end && nextEpoch > first && first < end
  })
}

async function maskOf({ epoch, maxBlobs }: BlobParameters): Promise<Uint8Array> {
  const bytes = new DataView(new ArrayBuffer(16))
  bytes.setBigUint64(0, epoch, true)
  bytes.setBigUint64(8, maxBlobs, true)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes.buffer)).subarray(0, 4)
}

const hexOf = (bytes: Uint8Array): string =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
