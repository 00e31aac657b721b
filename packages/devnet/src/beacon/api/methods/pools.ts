import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { ForkName } from '@lodestar/params'
import type { electra, SingleAttestation } from '@lodestar/types'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { Refused } from '../../chain/refused.ts'
import { acceptEach } from '../error-response.ts'

type PoolMethods = Pick<
  ApplicationMethods<Endpoints['beacon']>,
  | 'getPoolAttestationsV2'
  | 'getPoolAttesterSlashingsV2'
  | 'getPoolProposerSlashings'
  | 'getPoolVoluntaryExits'
  | 'getPoolBLSToExecutionChanges'
  | 'submitPoolAttestationsV2'
  | 'submitPoolAttesterSlashingsV2'
  | 'submitPoolProposerSlashings'
  | 'submitPoolVoluntaryExit'
  | 'submitPoolBLSToExecutionChange'
  | 'submitPoolSyncCommitteeSignatures'
>

/**
 * Creates the operations of `/eth/v1/beacon/pool` and `/eth/v2/beacon/pool`.
 *
 * @param chain The chain that owns the pools.
 * @returns The methods by operation id.
 */
export function createPoolMethods(chain: BeaconChain): PoolMethods {
  const { pools } = chain
  const meta = { version: ForkName.fulu }
  return {
    async getPoolAttestationsV2({ slot, committeeIndex }) {
      const data = pools.attestations
        .all()
        .filter((attestation) => slot === undefined || attestation.data.slot === slot)
        .filter(
          (attestation) => committeeIndex === undefined || attestation.committeeBits.get(committeeIndex),
        )
      return { data, meta }
    },
    async getPoolAttesterSlashingsV2() {
      return { data: [...pools.attesterSlashings.all()], meta }
    },
    async getPoolProposerSlashings() {
      return { data: [...pools.proposerSlashings.all()] }
    },
    async getPoolVoluntaryExits() {
      return { data: [...pools.voluntaryExits.all()] }
    },
    async getPoolBLSToExecutionChanges() {
      return { data: [...pools.blsToExecutionChanges.all()] }
    },
    async submitPoolAttestationsV2({ signedAttestations }) {
      await acceptEach(signedAttestations, (attestation) => {
        if (!isSingle(attestation)) throw new Refused('Since Electra an attestation is a SingleAttestation.')
        pools.attestations.add(attestation)
      })
    },
    async submitPoolAttesterSlashingsV2({ attesterSlashing }) {
      pools.attesterSlashings.add(attesterSlashing)
    },
    async submitPoolProposerSlashings({ proposerSlashing }) {
      pools.proposerSlashings.add(proposerSlashing)
    },
    async submitPoolVoluntaryExit({ signedVoluntaryExit }) {
      pools.voluntaryExits.add(signedVoluntaryExit)
    },
    async submitPoolBLSToExecutionChange({ blsToExecutionChanges }) {
      await acceptEach(blsToExecutionChanges, (change) => pools.blsToExecutionChanges.add(change))
    },
    async submitPoolSyncCommitteeSignatures({ signatures }) {
      await acceptEach(signatures, (message) => pools.syncCommitteeMessages.add(message))
    },
  }
}

// A request may name an older fork in its header; its attestations then have the older type.
function isSingle(attestation: SingleAttestation): attestation is electra.SingleAttestation {
  return 'attesterIndex' in attestation
}
