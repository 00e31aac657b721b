import type { Option } from '@fairlead/gateway-core/protocol/option'
import {
  type OrganizationLimits,
  defaultOrganizationLimits,
} from '@fairlead/platform-server/records/organization-limits'

/** Limits of each organization. Existing records above a limit stay valid. */
export const organizationOptions = {
  maxMembersPerOrganization: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_MEMBERS_PER_ORGANIZATION',
    description: 'Maximum number of members and pending invitations of an organization.',
    fallback: defaultOrganizationLimits.maxMembersPerOrganization,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxApiKeysPerOrganization: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_API_KEYS_PER_ORGANIZATION',
    description:
      'Maximum number of valid API keys of an organization; during a rotation, a key counts twice.',
    fallback: defaultOrganizationLimits.maxApiKeysPerOrganization,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxProjectsPerOrganization: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_PROJECTS_PER_ORGANIZATION',
    description: 'Maximum number of projects of an organization.',
    fallback: defaultOrganizationLimits.maxProjectsPerOrganization,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxNodesPerOrganization: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_NODES_PER_ORGANIZATION',
    description: 'Maximum number of nodes of an organization.',
    fallback: defaultOrganizationLimits.maxNodesPerOrganization,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxCredentialsPerOrganization: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CREDENTIALS_PER_ORGANIZATION',
    description: 'Maximum number of credentials of an organization that are neither revoked nor expired.',
    fallback: defaultOrganizationLimits.maxCredentialsPerOrganization,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxCredentialsPerNode: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CREDENTIALS_PER_NODE',
    description: 'Maximum number of credentials of a node that are neither revoked nor expired.',
    fallback: defaultOrganizationLimits.maxCredentialsPerNode,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxWebhooksPerOrganization: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_WEBHOOKS_PER_ORGANIZATION',
    description: 'Maximum number of webhooks of an organization.',
    fallback: defaultOrganizationLimits.maxWebhooksPerOrganization,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
  maxNewCredentialsPerMinute: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_NEW_CREDENTIALS_PER_MINUTE',
    description:
      'Maximum number of requests per minute that issue credentials or API keys of an organization, in each process; further ones receive 429.',
    fallback: defaultOrganizationLimits.maxNewCredentialsPerMinute,
    minimum: 1,
    maximum: 1_000_000,
    reload: true,
  },
} as const satisfies Readonly<Record<keyof OrganizationLimits, Option>>
