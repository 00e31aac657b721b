import type { OperationId } from './call-operation.ts'

/** A command that calls one operation of the platform API. */
export interface Subcommand {
  /** Words after `fairlead`. */
  readonly words: string
  readonly operation: OperationId
  readonly summary: string
  /** Fields that a list shows of each object. */
  readonly columns?: readonly string[]
}

/** Descriptions of the command groups. */
export const groups: Readonly<Record<string, string>> = {
  organization: 'the organization of the API key',
  project: 'projects: groups of nodes',
  node: 'nodes: endpoints for clients',
  credential: 'credentials of nodes: tokens, user names with passwords, x-tokens',
  key: 'API keys for the platform API',
  member: 'members of the organization',
  invitation: 'invitations to the organization',
  rule: 'access rules of a node: origins, IP addresses, methods',
  limit: 'rate limits and quotas of projects, nodes and credentials',
  usage: 'usage of nodes',
  audit: 'audit log',
  webhook: 'webhooks and their deliveries',
}

/** The commands, in display order. */
export const subcommands: readonly Subcommand[] = [
  { words: 'organization get', operation: 'getOrganization', summary: 'show the organization' },
  { words: 'organization update', operation: 'updateOrganization', summary: 'rename the organization' },

  {
    words: 'project list',
    operation: 'listProjects',
    summary: 'list projects',
    columns: ['id', 'name', 'type', 'networks', 'members', 'created_at'],
  },
  { words: 'project get', operation: 'getProject', summary: 'show a project' },
  { words: 'project create', operation: 'createProject', summary: 'create a project' },
  { words: 'project update', operation: 'updateProject', summary: 'change a project' },
  { words: 'project delete', operation: 'deleteProject', summary: 'delete a project without nodes' },

  {
    words: 'node options',
    operation: 'listDeploymentOptions',
    summary: 'list the deployment options for nodes',
    columns: ['id', 'chain', 'network', 'protocols', 'description'],
  },
  {
    words: 'node list',
    operation: 'listNodes',
    summary: 'list nodes',
    columns: ['id', 'name', 'chain', 'network', 'protocols', 'project.name'],
  },
  { words: 'node get', operation: 'getNode', summary: 'show a node and its endpoints' },
  {
    words: 'node create',
    operation: 'createNode',
    summary: 'create a node with its first credentials',
  },
  { words: 'node update', operation: 'updateNode', summary: 'change a node' },
  { words: 'node delete', operation: 'deleteNode', summary: 'delete a node and its credentials' },
  {
    words: 'node methods',
    operation: 'listNodeMethods',
    summary: 'list the methods of a node and their availability',
    columns: ['method', 'transport', 'available', 'units', 'latency_ms', 'note'],
  },
  {
    words: 'node probe',
    operation: 'probeNodeMethods',
    summary: 'probe the methods of a node again; `fairlead probe --refresh` also waits for the result',
  },
  {
    words: 'node upstreams',
    operation: 'listNodeUpstreams',
    summary: 'list the upstreams of a node and their health',
    columns: ['protocol', 'address', 'state', 'head', 'lag', 'latency_ms', 'error_rate'],
  },

  {
    words: 'credential list',
    operation: 'listCredentials',
    summary: 'list the credentials of a node',
    columns: ['id', 'kind', 'label', 'hint', 'state', 'last_used_at', 'expires_at'],
  },
  { words: 'credential get', operation: 'getCredential', summary: 'show a credential without its secret' },
  {
    words: 'credential create',
    operation: 'createCredential',
    summary: 'create a credential and show its secret',
  },
  {
    words: 'credential update',
    operation: 'updateCredential',
    summary: 'change the label or expiration of a credential',
  },
  { words: 'credential revoke', operation: 'revokeCredential', summary: 'revoke a credential' },
  {
    words: 'credential reveal',
    operation: 'revealCredential',
    summary: 'show the secret of a credential again; recorded in the audit log',
  },
  {
    words: 'credential rotate',
    operation: 'rotateCredential',
    summary: 'replace a credential; the old one remains valid for a grace period',
  },

  {
    words: 'key list',
    operation: 'listApiKeys',
    summary: 'list API keys',
    columns: ['id', 'name', 'scopes', 'state', 'last_used_at', 'expires_at'],
  },
  { words: 'key get', operation: 'getApiKey', summary: 'show an API key without its secret' },
  { words: 'key create', operation: 'createApiKey', summary: 'create an API key; it is shown once' },
  {
    words: 'key update',
    operation: 'updateApiKey',
    summary: 'change the name, scopes or expiration of an API key',
  },
  {
    words: 'key rotate',
    operation: 'rotateApiKey',
    summary: 'issue a new secret for an API key; the old one remains valid for a grace period',
  },
  { words: 'key revoke', operation: 'revokeApiKey', summary: 'revoke an API key' },

  {
    words: 'member list',
    operation: 'listMembers',
    summary: 'list members',
    columns: ['id', 'email', 'first_name', 'last_name', 'role', 'disabled', 'last_sign_in_at'],
  },
  { words: 'member get', operation: 'getMember', summary: 'show a member' },
  {
    words: 'member update',
    operation: 'updateMember',
    summary: 'change the role or name of a member, or disable a member',
  },
  { words: 'member remove', operation: 'removeMember', summary: 'remove a member from the organization' },
  {
    words: 'invitation list',
    operation: 'listInvitations',
    summary: 'list open invitations',
    columns: ['id', 'email', 'role', 'expires_at', 'created_at'],
  },
  {
    words: 'invitation create',
    operation: 'createInvitation',
    summary: 'invite a person; the link is shown once',
  },
  { words: 'invitation delete', operation: 'deleteInvitation', summary: 'revoke an invitation' },

  {
    words: 'rule list',
    operation: 'listAccessRules',
    summary: 'list the access rules of a node',
    columns: ['id', 'kind', 'action', 'value', 'active'],
  },
  { words: 'rule get', operation: 'getAccessRule', summary: 'show an access rule' },
  { words: 'rule create', operation: 'createAccessRule', summary: 'add an access rule to a node' },
  { words: 'rule update', operation: 'updateAccessRule', summary: 'change an access rule' },
  { words: 'rule delete', operation: 'deleteAccessRule', summary: 'delete an access rule' },

  { words: 'limit get project', operation: 'getProjectLimits', summary: 'show the limits of a project' },
  { words: 'limit set project', operation: 'putProjectLimits', summary: 'replace the limits of a project' },
  { words: 'limit get node', operation: 'getNodeLimits', summary: 'show the limits of a node' },
  { words: 'limit set node', operation: 'putNodeLimits', summary: 'replace the limits of a node' },
  {
    words: 'limit get credential',
    operation: 'getCredentialLimits',
    summary: 'show the limits of a credential',
  },
  {
    words: 'limit set credential',
    operation: 'putCredentialLimits',
    summary: 'replace the limits of a credential',
  },

  {
    words: 'usage report',
    operation: 'listNodeUsage',
    summary: 'report the usage of nodes',
    columns: [
      'datetime',
      'protocol',
      'node_id',
      'method',
      'requests',
      'failed_requests',
      'request_units',
      'timed_requests',
      'duration_ms',
    ],
  },
  { words: 'usage export', operation: 'exportNodeUsage', summary: 'export the report as CSV' },

  {
    words: 'audit list',
    operation: 'listAuditLog',
    summary: 'list changes, latest first',
    columns: ['created_at', 'actor.label', 'action', 'object.kind', 'object.id', 'object.name', 'ip'],
  },

  {
    words: 'webhook list',
    operation: 'listWebhooks',
    summary: 'list webhooks',
    columns: ['id', 'url', 'events', 'active'],
  },
  { words: 'webhook get', operation: 'getWebhook', summary: 'show a webhook' },
  {
    words: 'webhook create',
    operation: 'createWebhook',
    summary: 'create a webhook; its signing secret is shown once',
  },
  { words: 'webhook update', operation: 'updateWebhook', summary: 'change a webhook' },
  { words: 'webhook delete', operation: 'deleteWebhook', summary: 'delete a webhook' },
  { words: 'webhook test', operation: 'testWebhook', summary: 'send a test event to a webhook' },
  {
    words: 'webhook rotate',
    operation: 'rotateWebhookSecret',
    summary: 'issue a new signing secret for a webhook; it is shown once',
  },
  {
    words: 'webhook deliveries',
    operation: 'listWebhookDeliveries',
    summary: 'list the deliveries of a webhook',
    columns: ['id', 'event', 'state', 'attempts', 'status', 'created_at', 'error'],
  },
  { words: 'webhook resend', operation: 'resendWebhookDelivery', summary: 'send a delivery again' },
]
