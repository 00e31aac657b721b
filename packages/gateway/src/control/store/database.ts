import type { operations } from '@fairlead/platform-client/contract'
import type { ColumnType } from 'kysely'
import type { AccessRule, RuleKind } from '../../grants/access-rule.ts'
import type { Limits } from '../../grants/limits.ts'
import type { CredentialKind } from '../../grants/node-grant.ts'

// Points in time are read as text that SQL writes, because a JavaScript date drops the microseconds;
// so a plain select of such a column is typed as unknown.
type Timestamp = ColumnType<unknown, string | undefined, string>
type NullableTimestamp = ColumnType<unknown, string | null | undefined, string | null>

/** Who made a secret: the first start, the development mode, or a person. */
export type SecretOrigin = 'first-start' | 'development' | 'user'

/** What kind of chain a project is for; the contract lists the kinds. */
export type ProjectType = operations['createProject']['responses'][201]['content']['application/json']['type']

/** What a member may do in an organization. */
export type Role = 'owner' | 'admin' | 'editor' | 'viewer'

export interface OrganizationTable {
  id: string
  name: string
  created_at: Timestamp
}

export interface UserTable {
  id: string
  email: string
  first_name: string
  last_name: string
  disabled_at: NullableTimestamp
  created_at: Timestamp
}

export interface MembershipTable {
  user_id: string
  organization_id: string
  role: Role
  created_at: Timestamp
}

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
}

export interface NodeTable {
  id: string
  project_id: string
  name: string
  chain: string
  network: string
  protocols: string[]
  /** Upstreams by protocol, JSON, sealed for the node's id. */
  upstreams: string
  /** Whether the debug endpoints of the beacon node API are offered. */
  beacon_debug: ColumnType<boolean, boolean | undefined, boolean>
  /** `configuration` for the node whose row follows the service's configuration at every start. */
  managed_by: string | null
  created_at: Timestamp
}

export interface NodeCredentialTable {
  id: string
  node_id: string
  kind: CredentialKind
  sha256: string
  username: string | null
  origin: SecretOrigin
  created_at: Timestamp
  expires_at: NullableTimestamp
  revoked_at: NullableTimestamp
}

export interface ApiKeyTable {
  id: string
  organization_id: string
  creator_id: string
  name: string
  prefix: string
  sha256: string
  origin: SecretOrigin
  created_at: Timestamp
  expires_at: NullableTimestamp
  last_used_at: NullableTimestamp
  revoked_at: NullableTimestamp
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
}

/** Who a limit is for. */
export type LimitOwner = 'credential' | 'node' | 'project'

export interface LimitTable {
  owner_kind: LimitOwner
  owner_id: string
  limits: Limits
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
}

export interface UsageWriterTable {
  id: string
  /** Number of the last batch that is in. */
  sequence: Count
  written_at: Timestamp
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
  node_methods: NodeMethodTable
  api_keys: ApiKeyTable
  access_rules: AccessRuleTable
  limits: LimitTable
  usage_hours: UsageHourTable
  usage_writers: UsageWriterTable
  sealing_checks: SealingCheckTable
}
