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

/** What kind of chain a project is for; the contract lists the kinds. */
export type ProjectType = operations['createProject']['responses'][201]['content']['application/json']['type']

export interface ProjectTable {
  id: string
  organization_id: string
  creator_id: string
  name: string
  /** The name in lower case, made by the service: what a database calls lower case depends on its locale. */
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
  /** As {@link ProjectTable.name_folded}. */
  name_folded: string
  chain: string
  network: string
  protocols: string[]
  /** Upstreams by protocol, JSON, sealed for the node's id. */
  upstreams: string
  /** Whether the debug endpoints of the beacon node API are offered. */
  beacon_debug: ColumnType<boolean, boolean | undefined, boolean>
  /** `configuration` for the node whose row follows the service's configuration at every start. */
  managed_by: 'configuration' | null
  /** The deployment option whose upstreams the node follows; null when it has its own. */
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
  /** Token or password, sealed for the credential's id; null where only the hash is kept. */
  secret: ColumnType<string | null, string | null | undefined, string | null>
  /** The last characters of the secret. */
  hint: ColumnType<string | null, string | null | undefined, never>
  /** The credential that it was rotated to. */
  replaced_by: ColumnType<string | null, never, string>
  created_at: Timestamp
  expires_at: NullableTimestamp
  revoked_at: NullableTimestamp
  version: Version
}

/** Apart from the credentials themselves, of which every change is told to all processes. */
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
  /** Whether the node does not have the method at all, so that it need not be asked. */
  withheld: boolean
  /** Code of the error that was answered; null for a result. */
  code: number | null
  note: string
  /** Null when the method was not called but is known from others. */
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

/** Who a limit is for. */
export type LimitOwner = 'credential' | 'node' | 'project'

export interface LimitTable {
  owner_kind: LimitOwner
  owner_id: string
  limits: Limits
  version: Version
}

// Counts that are summed beyond what a JavaScript number can hold are read as text.
type Count = ColumnType<string, number, number>

export interface UsageHourTable {
  node_id: string
  hour: Timestamp
  credential_id: string
  protocol: string
  method: string
  /** First digit of the status. */
  status_class: number
  organization_id: string
  requests: Count
  units: Count
  bytes_in: Count
  bytes_out: Count
  /** How many of the requests say how long they took. */
  timed_requests: Count
  /** How long those took together, in microseconds. */
  duration_us: Count
}

/** The sums of {@link UsageHourTable} by day, UTC. */
export interface UsageDayTable extends Omit<UsageHourTable, 'hour'> {
  day: Timestamp
}

export interface UsageWriterTable {
  id: string
  /** Number of the last batch that is in. */
  sequence: Count
  written_at: Timestamp
}

/** What can be told to a webhook; `webhook.test` is sent on request only. */
export type WebhookEventType =
  | 'quota.warning'
  | 'quota.exhausted'
  | 'upstream.down'
  | 'upstream.up'
  | 'credential.new_address'
  | 'webhook.test'

/** What a webhook can ask to be told. */
export type WantedEventType = Exclude<WebhookEventType, 'webhook.test'>

export interface WebhookTable {
  id: string
  organization_id: string
  /** Sealed for the webhook's address. */
  url: string
  /** Sealed for the webhook's id. */
  secret: string
  description: string
  events: WantedEventType[]
  active: boolean
  version: Version
  created_at: Timestamp
}

export interface WebhookEventTable {
  id: string
  organization_id: string
  type: WebhookEventType
  /** JSON, as it is sent. */
  body: string
  /** What must not be told twice has the same one. */
  dedupe_key: string | null
  created_at: Timestamp
}

/** How one event stands on its way to one webhook. */
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
  /** Only while it is pending; moved ahead while an attempt is under way. */
  next_attempt_at: NullableTimestamp
  created_at: Timestamp
}

export interface UpstreamStateTable {
  node_id: string
  /** `<protocol>/<position>`, counted from 0. */
  upstream: string
  state: 'up' | 'down'
  changed_at: Timestamp
}

export interface CredentialAddressTable {
  credential_id: string
  address_hash: string
  seen_at: Timestamp
}

/** Texts that only the right secret key opens. */
export interface SealingCheckTable {
  name: string
  sealed: string
}

/** All tables of the control plane, as the query layer sees them. */
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
  sealing_checks: SealingCheckTable
}
