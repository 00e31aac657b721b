import { HttpStatusCode } from '@lodestar/api'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import { Refused } from '../chain/refused.ts'

/**
 * Tells the health of the node as `GET /eth/v1/node/health` does, in the status alone.
 *
 * @param chain The chain whose head tells how the node fares.
 * @param syncingStatus Status that the client wants in place of 206, from the query.
 * @returns 200; while the head rests on a payload that has not been executed, 206 or the wanted status.
 * @throws Refused when the wanted status is none that can end a response.
 */
export function healthStatus(chain: BeaconChain, syncingStatus: string | undefined): number {
  if (syncingStatus !== undefined && !/^[2-5]\d\d$/.test(syncingStatus)) {
    throw new Refused('syncing_status must be a number from 200 to 599.')
  }
  if (chain.head.validity === 'valid') return HttpStatusCode.OK
  return Number(syncingStatus ?? HttpStatusCode.PARTIAL_CONTENT)
}
