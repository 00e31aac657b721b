/** Maximum numbers of records; the names are those of the gateway's options. */
export interface RecordLimits {
  /** Members and pending invitations. */
  readonly maxMembersPerOrganization: number
  /** Valid secrets of valid keys: a key has several of them during a rotation. */
  readonly maxApiKeysPerOrganization: number
  readonly maxProjectsPerOrganization: number
  readonly maxNodesPerOrganization: number
  /** Credentials that are neither revoked nor expired. */
  readonly maxCredentialsPerOrganization: number
  /** Credentials that are neither revoked nor expired. */
  readonly maxCredentialsPerNode: number
  readonly maxWebhooksPerOrganization: number
}

/** Limits of each organization. */
export interface OrganizationLimits extends RecordLimits {
  /** Requests that issue credentials or API keys, per minute and process. */
  readonly maxNewCredentialsPerMinute: number
}

/** The default limits. */
export const defaultOrganizationLimits: OrganizationLimits = {
  maxMembersPerOrganization: 1_000,
  maxApiKeysPerOrganization: 200,
  maxProjectsPerOrganization: 500,
  maxNodesPerOrganization: 250,
  maxCredentialsPerOrganization: 1_000,
  maxCredentialsPerNode: 250,
  maxWebhooksPerOrganization: 100,
  maxNewCredentialsPerMinute: 30,
}
