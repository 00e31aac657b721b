import type { operations } from '@fairlead/platform-client/contract'
import type { ColumnType } from 'kysely'
import type { AccessRule, RuleKind } from '@fairlead/gateway-core/grants/access-rule'
import type { Limits } from '@fairlead/gateway-core/grants/limits'
import type { CredentialKind } from '@fairlead/gateway-core/grants/grant'
import type { NullableTimestamp, Timestamp, Version } from './column-types.ts'
import type {
  ApiKeySecretTable,
  ApiKeyTable,
  AuditLogTable,
  InvitationTable,
  MembershipTable,
  OrganizationTable,
  SecretOrigin,
  SessionTable,
  UserTable,
} from './people-tables.ts'

export type { AuditLogTable, InvitationTable, PasswordOrigin, SecretOrigin } from './people-tables.ts'

/** Kind of chain that a project is for; the contract lists the kinds. */
export type ProjectType = operations['createProject']['responses'][201]['content']['application/json']['type']

export interface ProjectTable {
  id: string
  organization_id: string
  creator_id: string
  name: string
  /** Lower-case name, computed in JavaScript because a database's lower case depends on its locale. */
  name_folded: string
  description: string
  type: ProjectType
  created_at: Timestamp
  version: Version
}

export interface NodeTable {
  id: string
  organization_id: string
  project_id: string
  name: string
  /** See {@link ProjectTable.name_folded}. */
  name_folded: string
  chain: string
  network: string
  protocols: string[]
  /** Upstreams by protocol, as JSON, encrypted at rest and bound to the node id. */
  upstreams: string
  /** Whether the debug endpoints of the beacon node API are offered. */
  beacon_debug: ColumnType<boolean, boolean | undefined, boolean>
  /** `configuration` for the node whose row is updated from the gateway's configuration at every start. */
  managed_by: 'configuration' | null
  /** The deployment option whose upstreams the node uses; null when the node defines its own upstreams. */
  option: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Timestamp
  version: Version
}

export interface NodeCredentialTable {
  id: string
  node_id: string
  kind: CredentialKind
  sha256: string
  username: string | null
  origin: SecretOrigin
  label: ColumnType<string, string | undefined, string>
  /** Token or password, encrypted at rest and bound to the credential id; null where only the hash is stored. */
  secret: ColumnType<string | null, string | null | undefined, string | null>
  /** The last characters of the secret. */
  hint: ColumnType<string | null, string | null | undefined, never>
  /** The credential that replaced this one in a rotation. */
  replaced_by: ColumnType<string | null, never, string>
  created_at: Timestamp
  expires_at: NullableTimestamp
  revoked_at: NullableTimestamp
  version: Version
}

/** Separate from the credentials table, because every change to a credential notifies all processes. */
export interface CredentialUseTable {
  credential_id: string
  last_used_at: ColumnType<unknown, string, string>
  last_used_ip: string
}

/** How a method of a node is called; the contract lists the transports. */
export type NodeTransport =
  operations['listNodeMethods']['responses'][200]['content']['application/json']['results'][number]['transport']

export interface NodeMethodTable {
  node_id: string
  method: string
  transport: NodeTransport
  available: boolean
  /** Whether the node lacks the method, so that the gateway need not forward calls of it. */
  withheld: boolean
  /** JSON-RPC error code of the response; null for a result. */
  code: number | null
  note: string
  /** Null when the method was not called and its availability follows from other calls. */
  latency_ms: number | null
  probed_at: Timestamp
}

export interface AccessRuleTable {
  id: string
  node_id: string
  kind: RuleKind
  value: string
  action: AccessRule['action']
  active: ColumnType<boolean, boolean | undefined, boolean>
  created_at: Timestamp
  version: Version
}

/** What a limit applies to. */
export type LimitOwner = 'credential' | 'node' | 'project'

export interface LimitTable {
  owner_kind: LimitOwner
  owner_id: string
  limits: Limits
  version: Version
}

// Read as text: sums of these counts can exceed Number.MAX_SAFE_INTEGER.
type Count = ColumnType<string, number, number>

export interface UsageHourTable {
  node_id: string
  hour: Timestamp
  credential_id: string
  protocol: string
  method: string
  /** First digit of the HTTP status. */
  status_class: number
  organization_id: string
  requests: Count
  units: Count
  bytes_in: Count
  bytes_out: Count
  /** Number of requests with a recorded duration. */
  timed_requests: Count
  /** Total duration of those requests, in microseconds. */
  duration_us: Count
}

/** Daily sums of {@link UsageHourTable}, UTC. */
export interface UsageDayTable extends Omit<UsageHourTable, 'hour'> {
  day: Timestamp
}

export interface UsageWriterTable {
  id: string
  /** Sequence number of the last stored batch. */
  sequence: Count
  written_at: Timestamp
}

/** Event types of webhooks; `webhook.test` is sent on request only. */
export type WebhookEventType =
  | 'quota.warning'
  | 'quota.exhausted'
  | 'upstream.down'
  | 'upstream.up'
  | 'credential.new_address'
  | 'webhook.test'

/** Event types that a webhook can subscribe to. */
export type SubscribedEventType = Exclude<WebhookEventType, 'webhook.test'>

export interface WebhookTable {
  id: string
  organization_id: string
  /** Encrypted at rest, with the context `<id> url`. */
  url: string
  /** Encrypted at rest and bound to the webhook id. */
  secret: string
  description: string
  events: SubscribedEventType[]
  active: boolean
  version: Version
  created_at: Timestamp
}

export interface WebhookEventTable {
  id: string
  organization_id: string
  type: WebhookEventType
  /** JSON, sent unchanged. */
  body: string
  /** Events with the same key are delivered only once. */
  dedupe_key: string | null
  created_at: Timestamp
}

/** State of the delivery of one event to one webhook. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed'

export interface WebhookDeliveryTable {
  id: string
  webhook_id: string
  event_id: string
  state: WebhookDeliveryState
  attempts: ColumnType<number, number | undefined, number>
  status: number | null
  error: string | null
  duration_ms: number | null
  /** Set only while the delivery is pending; moved to the end of the lease while an attempt is in progress. */
  next_attempt_at: NullableTimestamp
  created_at: Timestamp
}

export interface UpstreamStateTable {
  node_id: string
  /** `<field>/<id>`: the field in the record of the node, and the id of the upstream. */
  upstream: string
  state: 'up' | 'down'
  changed_at: Timestamp
}

export interface CredentialAddressTable {
  credential_id: string
  address_hash: string
  seen_at: Timestamp
}

/** Encrypted texts that only the correct secret key decrypts. */
export interface EncryptionCheckTable {
  name: string
  sealed: string
}

/** All tables of the control plane, as the query builder sees them. */
export interface Database {
  organizations: OrganizationTable
  users: UserTable
  memberships: MembershipTable
  projects: ProjectTable
  nodes: NodeTable
  node_credentials: NodeCredentialTable
  credential_uses: CredentialUseTable
  node_methods: NodeMethodTable
  api_keys: ApiKeyTable
  api_key_secrets: ApiKeySecretTable
  sessions: SessionTable
  invitations: InvitationTable
  audit_log: AuditLogTable
  access_rules: AccessRuleTable
  limits: LimitTable
  usage_hours: UsageHourTable
  usage_days: UsageDayTable
  usage_writers: UsageWriterTable
  webhooks: WebhookTable
  webhook_events: WebhookEventTable
  webhook_deliveries: WebhookDeliveryTable
  upstream_states: UpstreamStateTable
  credential_addresses: CredentialAddressTable
  sealing_checks: EncryptionCheckTable
}
