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

const allRoles = 'oaev'
const editorsAndAbove = 'oae'
const adminsAndAbove = 'oa'

/** The permissions of every operation. */
export const permissions: Readonly<Record<OperationId, Permission>> = {
  getSignInOptions: { by: 'public', roles: allRoles },
  createSession: { by: 'public', roles: allRoles },
  acceptInvitation: { by: 'public', roles: allRoles },
  beginOidcSignIn: { by: 'public', roles: allRoles },
  finishOidcSignIn: { by: 'public', roles: allRoles },

  getSession: { by: 'session', roles: allRoles },
  endSession: { by: 'session', roles: allRoles },
  changePassword: { by: 'session', roles: allRoles },
  listSessions: { by: 'session', roles: allRoles },
  revokeSession: { by: 'session', roles: allRoles },

  getOrganization: { by: 'org:read', roles: allRoles },
  updateOrganization: { by: 'org:write', roles: adminsAndAbove },
  listMembers: { by: 'members:read', roles: allRoles },
  getMember: { by: 'members:read', roles: allRoles },
  updateMember: { by: 'members:write', roles: adminsAndAbove },
  removeMember: { by: 'members:write', roles: adminsAndAbove },
  listInvitations: { by: 'members:read', roles: allRoles },
  createInvitation: { by: 'members:write', roles: adminsAndAbove },
  deleteInvitation: { by: 'members:write', roles: adminsAndAbove },

  listApiKeys: { by: 'keys:read', roles: editorsAndAbove },
  getApiKey: { by: 'keys:read', roles: editorsAndAbove },
  createApiKey: { by: 'keys:write', roles: editorsAndAbove },
  updateApiKey: { by: 'keys:write', roles: editorsAndAbove },
  rotateApiKey: { by: 'keys:write', roles: editorsAndAbove },
  revokeApiKey: { by: 'keys:write', roles: editorsAndAbove },

  listAuditLog: { by: 'audit:read', roles: adminsAndAbove },

  listProjects: { by: 'projects:read', roles: allRoles },
  getProject: { by: 'projects:read', roles: allRoles },
  getProjectLimits: { by: 'projects:read', roles: allRoles },
  createProject: { by: 'projects:write', roles: editorsAndAbove },
  updateProject: { by: 'projects:write', roles: editorsAndAbove },
  deleteProject: { by: 'projects:write', roles: editorsAndAbove },
  putProjectLimits: { by: 'projects:write', roles: editorsAndAbove },

  listDeploymentOptions: { by: 'nodes:read', roles: allRoles },
  listNodes: { by: 'nodes:read', roles: allRoles },
  getNode: { by: 'nodes:read', roles: allRoles },
  getNodeLimits: { by: 'nodes:read', roles: allRoles },
  listNodeUpstreams: { by: 'nodes:read', roles: allRoles },
  listNodeMethods: { by: 'nodes:read', roles: allRoles },
  listAccessRules: { by: 'nodes:read', roles: allRoles },
  getAccessRule: { by: 'nodes:read', roles: allRoles },
  createNode: { by: 'nodes:write', roles: editorsAndAbove },
  updateNode: { by: 'nodes:write', roles: editorsAndAbove },
  probeNodeMethods: { by: 'nodes:write', roles: editorsAndAbove },
  deleteNode: { by: 'nodes:write', roles: editorsAndAbove },
  putNodeLimits: { by: 'nodes:write', roles: editorsAndAbove },
  createAccessRule: { by: 'nodes:write', roles: editorsAndAbove },
  updateAccessRule: { by: 'nodes:write', roles: editorsAndAbove },
  deleteAccessRule: { by: 'nodes:write', roles: editorsAndAbove },

  listCredentials: { by: 'credentials:read', roles: allRoles },
  getCredential: { by: 'credentials:read', roles: allRoles },
  getCredentialLimits: { by: 'credentials:read', roles: allRoles },
  createCredential: { by: 'credentials:write', roles: editorsAndAbove },
  updateCredential: { by: 'credentials:write', roles: editorsAndAbove },
  revokeCredential: { by: 'credentials:write', roles: editorsAndAbove },
  revealCredential: { by: 'credentials:write', roles: editorsAndAbove },
  rotateCredential: { by: 'credentials:write', roles: editorsAndAbove },
  putCredentialLimits: { by: 'credentials:write', roles: editorsAndAbove },

  listNodeUsage: { by: 'usage:read', roles: allRoles },
  exportNodeUsage: { by: 'usage:read', roles: allRoles },

  listWebhooks: { by: 'webhooks:read', roles: adminsAndAbove },
  getWebhook: { by: 'webhooks:read', roles: adminsAndAbove },
  listWebhookDeliveries: { by: 'webhooks:read', roles: adminsAndAbove },
  createWebhook: { by: 'webhooks:write', roles: adminsAndAbove },
  updateWebhook: { by: 'webhooks:write', roles: adminsAndAbove },
  deleteWebhook: { by: 'webhooks:write', roles: adminsAndAbove },
  testWebhook: { by: 'webhooks:write', roles: adminsAndAbove },
  rotateWebhookSecret: { by: 'webhooks:write', roles: adminsAndAbove },
  resendWebhookDelivery: { by: 'webhooks:write', roles: adminsAndAbove },
}
