import type { Kysely } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import { stateOfClass } from '@fairlead/gateway-core/upstream/pool-member'
import { decryptUpstreams } from '../../records/encrypted-upstreams.ts'
import {
  markDown,
  markUp,
  type NodeUpstream,
  upstreamKey,
  type UpstreamPlace,
  upstreamPlaces,
} from '../../records/upstream-states.ts'
import { insertEvent, subscribedEventTypes } from '../../records/webhook-events.ts'
import type { Database } from '../../store/database.ts'
import { anyOf } from '../../store/load-nodes.ts'
import type { Store } from '../../store/open-store.ts'

/** The state of an upstream as seen by this process. */
export type ObservedUpstream = Pick<PooledUpstreamState, 'id' | 'nodes' | 'field' | 'class'>

interface StateOfNode extends NodeUpstream {
  readonly state: 'up' | 'down'
}

/**
 * Creates a check of upstreams that creates events for those that went down or came up. A state counts after two
 * consecutive checks with the same result. An event that another process has already created is not repeated. It
 * returns the number of events.
 */
export function createUpstreamWatch({
  db,
  encryptor,
}: Pick<Store, 'db' | 'encryptor'>): (observed: readonly ObservedUpstream[], now: number) => Promise<number> {
  let before: StatesByLabel = new Map()
  let reported: StatesByLabel = new Map()
  return async (observed, now) => {
    const current = statesOf(observed)
    const stable = [...current].filter(([label, { state }]) => before.get(label)?.state === state)
    before = current
    // An upstream that is removed and added again is reported again.
    reported = new Map([...reported].filter(([label]) => current.has(label)))
    const changed = stable.filter(([label, { state }]) => reported.get(label)?.state !== state)
    if (changed.length === 0) return 0
    const subscribed = await subscribedEventTypes(db)
    if (!subscribed.has('upstream.down') && !subscribed.has('upstream.up')) return 0
    const nodes = await listedUpstreams({ db, encryptor }, changed)
    // Until its next call, a node is observed with the upstreams that it had.
    const listed = changed.filter(([, { nodeId, upstream }]) => nodes.get(nodeId)?.places.has(upstream))
    const events = await insertEvents(
      db,
      listed.map(([, state]) => state),
      nodes,
      now,
    )
    reported = new Map([...reported, ...listed])
    return events
  }
}

/** Keyed by node, field and id: an upstream has a state for each node that uses it, at whichever position. */
type StatesByLabel = ReadonlyMap<string, StateOfNode>

function statesOf(observed: readonly ObservedUpstream[]): StatesByLabel {
  return new Map(
    observed.flatMap(({ id, nodes, field, class: upstreamClass }) => {
      const state = stateOfClass[upstreamClass]
      if (state === 'unknown') return []
      const upstream = upstreamKey(field, id)
      return nodes.map((nodeId) => [`${nodeId}/${upstream}`, { nodeId, upstream, state }] as const)
    }),
  )
}

interface ListedUpstreams {
  readonly name: string
  readonly organizationId: string
  readonly places: ReadonlyMap<string, UpstreamPlace>
}

async function insertEvents(
  db: Kysely<Database>,
  observed: readonly StateOfNode[],
  nodes: ReadonlyMap<string, ListedUpstreams>,
  now: number,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    let events = 0
    for (const state of ['down', 'up'] as const) {
      const upstreams = observed.filter((entry) => entry.state === state)
      if (upstreams.length === 0) continue
      const stateChanges =
        state === 'down' ? await markDown(transaction, upstreams) : await markUp(transaction, upstreams)
      for (const { nodeId, upstream } of stateChanges) {
        const node = nodes.get(nodeId)
        const place = node?.places.get(upstream)
        if (node === undefined || place === undefined) continue
        const { field, position, address } = place
        const outcome = await insertEvent(transaction, {
          organizationId: node.organizationId,
          type: `upstream.${state}`,
          at: now,
          data: {
            node: { id: nodeId, name: node.name },
            // The protocol's name in the API.
            upstream: { protocol: field.replace('-', '_'), position, address: shownAddress(address) },
          },
        })
        if (outcome === 'written') events += 1
      }
    }
    return events
  })
}

/** Reads the nodes of the observed upstreams, with the upstreams of their records. */
async function listedUpstreams(
  { db, encryptor }: { readonly db: Kysely<Database>; readonly encryptor: Encryptor },
  observed: readonly (readonly [string, NodeUpstream])[],
): Promise<ReadonlyMap<string, ListedUpstreams>> {
  const ids = [...new Set(observed.map(([, { nodeId }]) => nodeId))]
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'name', 'upstreams', 'organization_id as organizationId'])
    .where('id', '=', anyOf(ids))
    .execute()
  return new Map(
    rows.map(({ id, name, upstreams, organizationId }) => {
      const places = upstreamPlaces(decryptUpstreams(encryptor, id, upstreams), encryptor.fingerprint)
      return [id, { name, organizationId, places }]
    }),
  )
}

/** Only scheme, host and port: the rest may contain credentials. */
function shownAddress(address: string): string | null {
  if (!URL.canParse(address)) return address === 'devnet' ? 'devnet' : null
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}
