import { type Kysely, sql } from 'kysely'
import type { PooledUpstreamState } from '@fairlead/gateway-core/upstream/node-pools'
import type { UpstreamClass } from '@fairlead/gateway-core/upstream/pool-member'
import { upstreamId } from '@fairlead/gateway-core/upstream/upstream-registry'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import { decryptUpstreams } from '../../records/encrypted-upstreams.ts'
import { insertEvent, subscribedEventTypes } from '../../records/webhook-events.ts'
import type { Database } from '../../store/database.ts'
import type { Store } from '../../store/open-store.ts'

/** The state of an upstream as seen by this process. */
export type ObservedUpstream = Pick<PooledUpstreamState, 'id' | 'nodes' | 'field' | 'position' | 'class'>

type State = 'up' | 'down'

/** The state of the upstream with an id, at a place of a node. */
interface PositionState {
  readonly id: string
  readonly state: State
}

// The other classes are unknown, or no response is expected.
const states: Readonly<Partial<Record<UpstreamClass, State>>> = {
  ready: 'up',
  unverified: 'up',
  lagging: 'up',
  stale: 'up',
  failing: 'down',
  wrong_chain: 'down',
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
  let before: ReadonlyMap<string, PositionState> = new Map()
  let reported: ReadonlyMap<string, PositionState> = new Map()
  return async (observed, now) => {
    const current = statesOf(observed)
    const stable = [...current].filter(([label, { id, state }]) => {
      const earlier = before.get(label)
      return earlier?.state === state && earlier.id === id
    })
    before = current
    const changed = stable.filter(([label, { state }]) => reported.get(label)?.state !== state)
    if (changed.length === 0) return 0
    const subscribed = await subscribedEventTypes(db)
    if (!subscribed.has('upstream.down') && !subscribed.has('upstream.up')) return 0
    const positions = await currentPositions({ db, encryptor }, changed)
    const events = await insertEvents({ db, encryptor }, positions, now)
    const remaining = [...reported].filter(([label]) => current.has(label))
    reported = new Map([...remaining, ...positions])
    return events
  }
}

/** Keyed by `<node id>/<field>/<position>`: an upstream has a state for each node that uses it. */
function statesOf(observed: readonly ObservedUpstream[]): ReadonlyMap<string, PositionState> {
  return new Map(
    observed.flatMap(({ id, nodes, field, position, class: upstreamClass }) => {
      const state = states[upstreamClass]
      if (state === undefined) return []
      return nodes.map((node) => [`${node}/${field}/${position}`, { id, state }] as const)
    }),
  )
}

async function insertEvents(
  { db, encryptor }: Pick<Store, 'db' | 'encryptor'>,
  positions: readonly (readonly [string, PositionState])[],
  now: number,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    let events = 0
    for (const state of ['down', 'up'] as const) {
      const labels = positions.filter(([, entry]) => entry.state === state).map(([label]) => label)
      if (labels.length === 0) continue
      const stateChanges =
        state === 'down' ? await markDown(transaction, labels) : await markUp(transaction, labels)
      for (const { nodeId, upstream } of stateChanges) {
        const node = await findNode(transaction, nodeId)
        if (node === undefined) continue
        const [recordName = '', position = ''] = upstream.split('/')
        const text = decryptUpstreams(encryptor, nodeId, node.upstreams)[recordName]
        // The protocol's name in the API.
        const protocol = recordName.replace('-', '_')
        const outcome = await insertEvent(transaction, {
          organizationId: node.organizationId,
          type: `upstream.${state}`,
          at: now,
          data: {
            node: { id: nodeId, name: node.name },
            upstream: { protocol, position: Number(position), address: shownAddress(text, Number(position)) },
          },
        })
        if (outcome === 'written') events += 1
      }
    }
    return events
  })
}

/** The places that still have the upstream: until its next call, a node is listed with the upstreams that it had. */
async function currentPositions(
  { db, encryptor }: Pick<Store, 'db' | 'encryptor'>,
  positions: readonly (readonly [string, PositionState])[],
): Promise<readonly (readonly [string, PositionState])[]> {
  const current: (readonly [string, PositionState])[] = []
  for (const entry of positions) {
    const [label, { id }] = entry
    const [nodeId = '', field = '', position = ''] = label.split('/')
    const node = await findNode(db, nodeId)
    const text = node && decryptUpstreams(encryptor, nodeId, node.upstreams)[field]
    const record = parseUpstreams(text ?? '')[Number(position)]
    const { fingerprint } = encryptor
    if (record && upstreamId(record, field, fingerprint) === id) current.push(entry)
  }
  return current
}

interface StateChange {
  readonly nodeId: string
  readonly upstream: string
}

/** Records upstreams that are down; returns those that were not down before. */
async function markDown(db: Kysely<Database>, labels: readonly string[]): Promise<readonly StateChange[]> {
  const { rows } = await sql<StateChange>`
    insert into upstream_states as known (node_id, upstream, state)
    select seen.node_id, seen.upstream, 'down' from ${labelRows(labels)} join nodes on nodes.id = seen.node_id
    order by 1, 2
    on conflict (node_id, upstream) do update set state = 'down', changed_at = clock_timestamp()
      where known.state <> 'down'
    returning node_id as "nodeId", upstream`.execute(db)
  return rows
}

/** Records upstreams that are up; returns those that were down before. */
async function markUp(db: Kysely<Database>, labels: readonly string[]): Promise<readonly StateChange[]> {
  const { rows } = await sql<StateChange>`
    update upstream_states as known set state = 'up', changed_at = clock_timestamp()
    from ${labelRows(labels)}
    where known.node_id = seen.node_id and known.upstream = seen.upstream and known.state = 'down'
    returning known.node_id as "nodeId", known.upstream`.execute(db)
  return rows
}

function labelRows(labels: readonly string[]) {
  const cuts = labels.map((label) => label.indexOf('/'))
  const nodeIds = labels.map((label, at) => label.slice(0, cuts[at]))
  const upstreams = labels.map((label, at) => label.slice((cuts[at] ?? 0) + 1))
  return sql`unnest(${nodeIds}::text[], ${upstreams}::text[]) as seen (node_id, upstream)`
}

async function findNode(db: Kysely<Database>, id: string) {
  return db
    .selectFrom('nodes')
    .select(['name', 'upstreams', 'organization_id as organizationId'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Only scheme, host and port: the rest may contain credentials. */
function shownAddress(text: string | undefined, position: number): string | null {
  const address = parseUpstreams(text ?? '')[position]?.address
  if (address === undefined || !URL.canParse(address)) return address === 'devnet' ? 'devnet' : null
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}
