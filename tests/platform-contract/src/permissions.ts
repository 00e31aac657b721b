import type { Scope } from '@fairlead/platform-server/identity/scopes'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'

/**
 * Permissions by operation. Duplicated here deliberately, and not read from the gateway: a change there requires a
 * change here.
 */
export interface Permission {
  /** The scope that a key needs. `session` if no key is accepted, `public` if no authentication is required. */
  readonly by: Scope | 'session' | 'public'
  /** Roles whose sessions are permitted, by their first letters: owner, admin, editor, viewer. */
  readonly roles: 'oaev' | 'oae' | 'oa'
}

const all = 'oaev'
const makers = 'oae'
const heads = 'oa'

/** The permissions of every operation. */
export const whoMay: Readonly<Record<OperationId, Permission>> = {
  getSignInOptions: { by: 'public', roles: all },
  createSession: { by: 'public', roles: all },
  acceptInvitation: { by: 'public', roles: all },
  beginOidcSignIn: { by: 'public', roles: all },
  finishOidcSignIn: { by: 'public', roles: all },

  getSession: { by: 'session', roles: all },
  endSession: { by: 'session', roles: all },
  changePassword: { by: 'session', roles: all },
  listSessions: { by: 'session', roles: all },
  revokeSession: { by: 'session', roles: all },

  getOrganization: { by: 'org:read', roles: all },
  updateOrganization: { by: 'org:write', roles: heads },
  listMembers: { by: 'members:read', roles: all },
  getMember: { by: 'members:read', roles: all },
  updateMember: { by: 'members:write', roles: heads },
  removeMember: { by: 'members:write', roles: heads },
  listInvitations: { by: 'members:read', roles: all },
  createInvitation: { by: 'members:write', roles: heads },
  deleteInvitation: { by: 'members:write', roles: heads },

  listApiKeys: { by: 'keys:read', roles: makers },
  getApiKey: { by: 'keys:read', roles: makers },
  createApiKey: { by: 'keys:write', roles: makers },
  updateApiKey: { by: 'keys:write', roles: makers },
  rotateApiKey: { by: 'keys:write', roles: makers },
  revokeApiKey: { by: 'keys:write', roles: makers },

  listAuditLog: { by: 'audit:read', roles: heads },

  listProjects: { by: 'projects:read', roles: all },
  getProject: { by: 'projects:read', roles: all },
  getProjectLimits: { by: 'projects:read', roles: all },
  createProject: { by: 'projects:write', roles: makers },
  updateProject: { by: 'projects:write', roles: makers },
  deleteProject: { by: 'projects:write', roles: makers },
  putProjectLimits: { by: 'projects:write', roles: makers },

  listDeploymentOptions: { by: 'nodes:read', roles: all },
  listNodes: { by: 'nodes:read', roles: all },
  getNode: { by: 'nodes:read', roles: all },
  getNodeLimits: { by: 'nodes:read', roles: all },
  listNodeUpstreams: { by: 'nodes:read', roles: all },
  listNodeMethods: { by: 'nodes:read', roles: all },
  listAccessRules: { by: 'nodes:read', roles: all },
  getAccessRule: { by: 'nodes:read', roles: all },
  createNode: { by: 'nodes:write', roles: makers },
  updateNode: { by: 'nodes:write', roles: makers },
  probeNodeMethods: { by: 'nodes:write', roles: makers },
  deleteNode: { by: 'nodes:write', roles: makers },
  putNodeLimits: { by: 'nodes:write', roles: makers },
  createAccessRule: { by: 'nodes:write', roles: makers },
  updateAccessRule: { by: 'nodes:write', roles: makers },
  deleteAccessRule: { by: 'nodes:write', roles: makers },

  listCredentials: { by: 'credentials:read', roles: all },
  getCredential: { by: 'credentials:read', roles: all },
  getCredentialLimits: { by: 'credentials:read', roles: all },
  createCredential: { by: 'credentials:write', roles: makers },
  updateCredential: { by: 'credentials:write', roles: makers },
  revokeCredential: { by: 'credentials:write', roles: makers },
  revealCredential: { by: 'credentials:write', roles: makers },
  rotateCredential: { by: 'credentials:write', roles: makers },
  putCredentialLimits: { by: 'credentials:write', roles: makers },

  listNodeUsage: { by: 'usage:read', roles: all },
  exportNodeUsage: { by: 'usage:read', roles: all },

  listWebhooks: { by: 'webhooks:read', roles: heads },
  getWebhook: { by: 'webhooks:read', roles: heads },
  listWebhookDeliveries: { by: 'webhooks:read', roles: heads },
  createWebhook: { by: 'webhooks:write', roles: heads },
  updateWebhook: { by: 'webhooks:write', roles: heads },
  deleteWebhook: { by: 'webhooks:write', roles: heads },
  testWebhook: { by: 'webhooks:write', roles: heads },
  rotateWebhookSecret: { by: 'webhooks:write', roles: heads },
  resendWebhookDelivery: { by: 'webhooks:write', roles: heads },
}
