import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { ForkName, MAX_REQUEST_LIGHT_CLIENT_UPDATES, SLOTS_PER_EPOCH } from '@lodestar/params'
import { ssz, type electra } from '@lodestar/types'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { NotFound } from '../../chain/not-found.ts'
import { Refused } from '../../chain/refused.ts'

type LightClientMethods = Omit<ApplicationMethods<Endpoints['lightclient']>, 'getLightClientCommitteeRoot'>

const rootPattern = /^0x[a-fA-F0-9]{64}$/

/**
 * Creates the operations of `/eth/v1/beacon/light_client`.
 *
 * @param chain The chain to read from.
 * @returns The methods by operation id.
 */
export function createLightClientMethods(chain: BeaconChain): LightClientMethods {
  const meta = { version: ForkName.fulu }
  const { lightClient } = chain

  /** Encodes each update as its length, its fork digest and its bytes, in the framing of the light client protocol. */
  function frame(updates: readonly electra.LightClientUpdate[]): Uint8Array {
    return Buffer.concat(
      updates.flatMap((update) => {
        const epoch = Math.floor(update.attestedHeader.beacon.slot / SLOTS_PER_EPOCH)
        const boundary = chain.config.getForkBoundaryAtEpoch(epoch)
        const digest = chain.config.forkBoundary2ForkDigest(boundary)
        const bytes = ssz.fulu.LightClientUpdate.serialize(update)
        return [ssz.UintNum64.serialize(digest.length + bytes.length), digest, bytes]
      }),
    )
  }

  return {
    async getLightClientBootstrap({ blockRoot }) {
      if (!rootPattern.test(blockRoot)) {
        throw new Refused('block_root must be a root of 32 bytes in hex.')
      }
      const data = lightClient.bootstrap(blockRoot.toLowerCase())
      if (data === undefined) throw new NotFound('There is no bootstrap for this block.')
      return { data, meta }
    },
    async getLightClientUpdatesByRange({ startPeriod, count }, context) {
      const updates = lightClient.updates(startPeriod, Math.min(count, MAX_REQUEST_LIGHT_CLIENT_UPDATES))
      return {
        data: context?.returnBytes ? frame(updates) : [...updates],
        meta: { versions: updates.map(() => ForkName.fulu) },
      }
    },
    async getLightClientFinalityUpdate() {
      const data = lightClient.finalityUpdate()
      if (data === undefined) throw new NotFound('There is no finality update yet.')
      return { data, meta }
    },
    async getLightClientOptimisticUpdate() {
      const data = lightClient.optimisticUpdate()
      if (data === undefined) throw new NotFound('There is no optimistic update yet.')
      return { data, meta }
    },
  }
}
