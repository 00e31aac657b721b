import type { OperationContext } from './operation-context.ts'
import { accessRuleOperations } from './operations/access-rules.ts'
import { apiKeyOperations } from './operations/api-keys.ts'
import { auditLogOperations } from './operations/audit-log.ts'
import { credentialOperations } from './operations/credentials.ts'
import { deploymentOptionOperations } from './operations/deployment-options.ts'
import { invitationOperations } from './operations/invitations.ts'
import { limitOperations } from './operations/limits.ts'
import { memberOperations } from './operations/members.ts'
import { nodeMethodOperations } from './operations/node-methods.ts'
import { nodeUpstreamOperations } from './operations/node-upstreams.ts'
import { nodeOperations } from './operations/nodes.ts'
import { oidcOperations } from './operations/oidc.ts'
import { organizationOperations } from './operations/organization.ts'
import { projectOperations } from './operations/projects.ts'
import { sessionOperations } from './operations/session.ts'
import { usageOperations } from './operations/usage.ts'
import { webhookOperations } from './operations/webhooks.ts'
import type { Handlers } from './platform-call.ts'

/** Creates the handlers of all operations of the platform API. */
export function platformHandlers(context: OperationContext): Handlers {
  return {
    ...organizationOperations(context),
    ...memberOperations(context),
    ...invitationOperations(context),
    ...apiKeyOperations(context),
    ...sessionOperations(context),
    ...oidcOperations(context),
    ...auditLogOperations(context),
    ...projectOperations(context),
    ...nodeMethodOperations(context),
    ...accessRuleOperations(context),
    ...credentialOperations(context),
    ...deploymentOptionOperations(context),
    ...limitOperations(context),
    ...nodeUpstreamOperations(context),
    ...nodeOperations(context),
    ...usageOperations(context),
    ...webhookOperations(context),
  }
}
