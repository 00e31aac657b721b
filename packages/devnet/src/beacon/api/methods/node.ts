import { routes, type Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { NotFound } from '../../chain/not-found.ts'
import { Refused } from '../../chain/refused.ts'

type NodeMethods = Omit<ApplicationMethods<Endpoints['node']>, 'getNetworkIdentity' | 'getHealth'>

const client = 'fairlead-devnet'
const peerStates: readonly string[] = ['disconnected', 'connecting', 'connected', 'disconnecting']
const peerDirections: readonly string[] = ['inbound', 'outbound']

/**
 * Creates the operations of `/eth/v1/node`, except the health, which is in a separate file, and the network identity,
 * which this server does not have.
 *
 * @param chain The chain whose head determines the sync status.
 * @param version Version of this package.
 * @returns The methods by operation id.
 */
export function createNodeMethods(chain: BeaconChain, version: string): NodeMethods {
  return {
    async getPeers({ state, direction }) {
      requireKnownValues('state', state, peerStates)
      requireKnownValues('direction', direction, peerDirections)
      return { data: [], meta: { count: 0 } }
    },
    async getPeer() {
      throw new NotFound('This node has no peers.')
    },
    async getPeerCount() {
      return { data: { disconnected: 0, connecting: 0, connected: 0, disconnecting: 0 } }
    },
    async getNodeVersion() {
      return { data: { version: `${client}/${version}` } }
    },
    async getNodeVersionV2() {
      // The list of client codes contains known clients only; the state transition is Lodestar's, so its code fits
      // best.
      return {
        data: {
          beaconNode: { code: routes.node.ClientCode.LS, name: client, version, commit: '0x00000000' },
        },
      }
    },
    async getSyncingStatus() {
      const { head, currentSlot } = chain
      return {
        data: {
          headSlot: head.block.message.slot,
          syncDistance: Math.max(0, currentSlot - head.block.message.slot),
          isSyncing: false,
          isOptimistic: head.validity === 'optimistic',
          elOffline: false,
        },
      }
    },
  }
}

function requireKnownValues(
  name: string,
  values: readonly string[] | undefined,
  known: readonly string[],
): void {
  if (values?.every((value) => known.includes(value)) ?? true) return
  throw new Refused(`${name} must be one of ${known.join(', ')}.`)
}
