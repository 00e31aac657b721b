import { isIPv6 } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { insertEvent, subscribedEventTypes } from '../../records/webhook-events.ts'
import type { CredentialUse } from '../../credential-use/credential-use.ts'
import type { Database } from '../../store/database.ts'
import type { Store } from '../../store/open-store.ts'

// A credential used from this many networks is public, for example embedded in a web page.
const maxAddresses = 100
// Uses cached here need no database query.
const maxEntries = 100_000

/** A use of a credential from one IP address. */
type Use = Pick<CredentialUse, 'credentialId' | 'address'>

/**
 * Creates a function that receives reports on the use of credentials and creates an event for each credential that is
 * used from a new IP address. It returns the number of events.
 */
export function createAddressWatch(
  store: Pick<Store, 'db' | 'encryptor'>,
): (reports: readonly CredentialUse[], now: number) => Promise<number> {
  const recorded = new Set<string>()
  return async (reports, now) => {
    const uses = reports
      .flatMap(({ credentialId, addresses }) => addresses.map((address) => ({ credentialId, address })))
      .filter((use) => !recorded.has(keyOf(use)))
    if (uses.length === 0) return 0
    const subscribed = await subscribedEventTypes(store.db)
    if (!subscribed.has('credential.new_address')) {
      // Later subscribers get events for all uses from that time on.
      recorded.clear()
      return 0
    }
    const events = await write(store, uses, now)
    if (recorded.size >= maxEntries) recorded.clear()
    for (const use of uses) recorded.add(keyOf(use))
    return events
  }
}

function keyOf({ credentialId, address }: Use): string {
  return `${credentialId} ${address}`
}

async function write(
  { db, encryptor }: Pick<Store, 'db' | 'encryptor'>,
  uses: readonly Use[],
  now: number,
): Promise<number> {
  const hashes = uses.map(({ credentialId, address }) =>
    encryptor.fingerprint(networkOf(address), credentialId),
  )
  return db.transaction().execute(async (transaction) => {
    const added = await addAddresses(transaction, uses, hashes)
    let events = 0
    const known = new Set<string>()
    for (const [at, { credentialId, address }] of uses.entries()) {
      const row = added.get(`${credentialId} ${hashes[at]}`)
      added.delete(`${credentialId} ${hashes[at]}`)
      if (row === undefined) continue
      // The first address of a credential causes no event.
      const isFirst = !row.isKnown && !known.has(credentialId)
      known.add(credentialId)
      if (isFirst) continue
      const { organizationId, kind, label, nodeId, nodeName } = row
      const outcome = await insertEvent(transaction, {
        organizationId,
        type: 'credential.new_address',
        at: now,
        data: {
          credential: { id: credentialId, kind, label },
          node: { id: nodeId, name: nodeName },
          address,
        },
      })
      if (outcome === 'written') events += 1
    }
    return events
  })
}

interface Added {
  readonly key: string
  readonly organizationId: string
  readonly kind: string
  readonly label: string
  readonly nodeId: string
  readonly nodeName: string
  /** Whether the credential had at least one address before. */
  readonly isKnown: boolean
}

/** Inserts new addresses; the result is keyed by credential and hash. */
async function addAddresses(db: Kysely<Database>, uses: readonly Use[], hashes: readonly string[]) {
  const ids = uses.map(({ credentialId }) => credentialId)
  const { rows } = await sql<Added>`
    with used as (
      select distinct * from unnest(${ids}::text[], ${[...hashes]}::text[]) as used (credential_id, address_hash)
    ), known as (
      select credential_id, count(*) as count from credential_addresses
      where credential_id = any(${ids}::text[]) group by credential_id
    ), added as (
      insert into credential_addresses (credential_id, address_hash)
      select used.credential_id, used.address_hash
      from used
      join node_credentials on node_credentials.id = used.credential_id
      left join known on known.credential_id = used.credential_id
      where coalesce(known.count, 0) < ${maxAddresses}
      order by 1, 2
      on conflict do nothing
      returning credential_id, address_hash
    )
    select
      added.credential_id || ' ' || added.address_hash as key,
      node.organization_id as "organizationId", credential.kind, credential.label, node.id as "nodeId",
      node.name as "nodeName",
      known.count is not null as "isKnown"
    from added
    join node_credentials as credential on credential.id = added.credential_id
    join nodes as node on node.id = credential.node_id
    left join known on known.credential_id = added.credential_id`.execute(db)
  return new Map(rows.map((row) => [row.key, row]))
}

/**
 * Returns the network of an IP address: the IPv4 address itself, or the first half of an IPv6 address, because the
 * second half changes daily.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const short = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [left = '', right = ''] = short.split('::')
  const groups = left.split(':').filter((group) => group !== '')
  const tail = right.split(':').filter((group) => group !== '')
  const zeros = short.includes('::') ? Array.from({ length: 8 - groups.length - tail.length }, () => '0') : []
  return `${[...groups, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
