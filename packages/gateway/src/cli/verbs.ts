import type { OperationId } from './call-operation.ts'

/** A command that calls one operation of the platform API. */
export interface Verb {
  /** Words after `fairlead`. */
  readonly words: string
  readonly operation: OperationId
  readonly summary: string
  /** Fields that a list shows of each object. */
  readonly columns?: readonly string[]
}

/** Descriptions of the command groups. */
export const groups: Readonly<Record<string, string>> = {
  organization: 'the organization that the key belongs to',
  project: 'projects, which group nodes',
  node: 'nodes: what clients call',
  credential: 'what opens a node: tokens, user names with passwords, x-tokens',
  key: 'API keys, which open the platform API',
  member: 'who belongs to the organization',
  invitation: 'who is asked to join the organization',
  rule: 'access rules of a node: origins, addresses, methods',
  limit: 'rates and quotas of projects, nodes and credentials',
  usage: 'what nodes were used for',
  audit: 'who changed what',
  webhook: 'who is told what happens',
}

/** The commands, in display order. */
export const verbs: readonly Verb[] = [
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
  { words: 'project delete', operation: 'deleteProject', summary: 'delete a project that has no nodes' },

  {
    words: 'node options',
    operation: 'listDeploymentOptions',
    summary: 'list what nodes can be made of',
    columns: ['id', 'chain', 'network', 'protocols', 'description'],
  },
  {
    words: 'node list',
    operation: 'listNodes',
    summary: 'list nodes',
    columns: ['id', 'name', 'chain', 'network', 'protocols', 'project.name'],
  },
  { words: 'node get', operation: 'getNode', summary: 'show a node and the addresses of its protocols' },
  {
    words: 'node create',
    operation: 'createNode',
    summary: 'create a node; its credentials are shown once',
  },
  { words: 'node update', operation: 'updateNode', summary: 'change a node' },
  { words: 'node delete', operation: 'deleteNode', summary: 'delete a node and its credentials' },
  {
    words: 'node methods',
    operation: 'listNodeMethods',
    summary: 'list the methods of a node and whether it answers them',
    columns: ['method', 'transport', 'available', 'units', 'latency_ms', 'note'],
  },
  {
    words: 'node probe',
    operation: 'probeNodeMethods',
    summary: 'call the methods of a node again; `fairlead probe --refresh` also waits',
  },
  {
    words: 'node upstreams',
    operation: 'listNodeUpstreams',
    summary: 'list the upstreams of a node and how they are',
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
    summary: 'create a credential; it is shown once',
  },
  { words: 'credential update', operation: 'updateCredential', summary: 'change label or end' },
  { words: 'credential revoke', operation: 'revokeCredential', summary: 'take a credential out of force' },
  {
    words: 'credential reveal',
    operation: 'revealCredential',
    summary: 'show the secret again; this is written to the audit log',
  },
  {
    words: 'credential rotate',
    operation: 'rotateCredential',
    summary: 'replace a credential; the old one works for a while',
  },

  {
    words: 'key list',
    operation: 'listApiKeys',
    summary: 'list API keys',
    columns: ['id', 'name', 'scopes', 'state', 'last_used_at', 'expires_at'],
  },
  { words: 'key get', operation: 'getApiKey', summary: 'show an API key without its secret' },
  { words: 'key create', operation: 'createApiKey', summary: 'create an API key; it is shown once' },
  { words: 'key update', operation: 'updateApiKey', summary: 'change name, scopes or end' },
  {
    words: 'key rotate',
    operation: 'rotateApiKey',
    summary: 'give an API key a new secret; the old one works for a while',
  },
  { words: 'key revoke', operation: 'revokeApiKey', summary: 'take an API key out of force' },

  {
    words: 'member list',
    operation: 'listMembers',
    summary: 'list members',
    columns: ['id', 'email', 'first_name', 'last_name', 'role', 'disabled', 'last_sign_in_at'],
  },
  { words: 'member get', operation: 'getMember', summary: 'show a member' },
  { words: 'member update', operation: 'updateMember', summary: 'change role or name, or disable a member' },
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
    summary: 'invite somebody; the link is shown once',
  },
  { words: 'invitation delete', operation: 'deleteInvitation', summary: 'take an invitation back' },

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
    summary: 'report what nodes were used for',
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
  { words: 'usage export', operation: 'exportNodeUsage', summary: 'write the report as CSV' },

  {
    words: 'audit list',
    operation: 'listAuditLog',
    summary: 'list changes, the newest first',
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
    summary: 'create a webhook; what it signs with is shown once',
  },
  { words: 'webhook update', operation: 'updateWebhook', summary: 'change a webhook' },
  { words: 'webhook delete', operation: 'deleteWebhook', summary: 'delete a webhook' },
  { words: 'webhook test', operation: 'testWebhook', summary: 'send an event to a webhook now' },
  {
    words: 'webhook rotate',
    operation: 'rotateWebhookSecret',
    summary: 'give a webhook another secret; it is shown once',
  },
  {
    words: 'webhook deliveries',
    operation: 'listWebhookDeliveries',
    summary: 'list what was sent to a webhook',
    columns: ['id', 'event', 'state', 'attempts', 'status', 'created_at', 'error'],
  },
  { words: 'webhook resend', operation: 'resendWebhookDelivery', summary: 'send a delivery again' },
]
