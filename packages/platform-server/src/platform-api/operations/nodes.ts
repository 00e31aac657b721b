import type { Kysely } from 'kysely'
import type { CredentialKind } from '@fairlead/gateway-core/grants/grant'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { deploymentOptions } from '../../endpoints/deployment-options.ts'
import type { AddressParts } from '../../endpoints/urls.ts'
import { planNode, planUpstreams } from '../../endpoints/plan.ts'
import { auditedNode, presentNode } from '../../endpoints/present-endpoint.ts'
import { validateTargets } from '../../endpoints/upstream-targets.ts'
import {
  type ValidationErrors,
  validateUpstreams,
  type UpstreamInput,
  textsOf,
} from '../../endpoints/upstream-fields.ts'
import { findConfiguredNode } from '../../records/configured-node.ts'
import {
  deleteNode,
  findNode,
  insertNode,
  listNodes,
  lockNode,
  type NodeChanges,
  type NodeQuery,
  type NodeRecord,
  updateNode,
} from '../../records/nodes.ts'
import { lockProject } from '../../records/projects.ts'
import type { Database } from '../../store/database.ts'
import { assertWithinLimits } from '../assert-within-limits.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, type PageLinks, rangeOf } from '../page-links.ts'
import type { Body, Handlers, PlatformCall, Query } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'
import { issueCredential } from './issue-credential.ts'

type NodeContext = Pick<
  OperationContext,
  'db' | 'encryptor' | 'publicUrl' | 'nodes' | 'protocols' | 'organizationLimits'
>

const orders: Readonly<Record<Query<'listNodes'>['order_by'], Pick<NodeQuery, 'orderBy' | 'descending'>>> = {
  name: { orderBy: 'name', descending: false },
  '-name': { orderBy: 'name', descending: true },
  created_at: { orderBy: 'created_at', descending: false },
  '-created_at': { orderBy: 'created_at', descending: true },
}

/** The operations on nodes. */
export function nodeOperations(
  context: NodeContext,
): Pick<Handlers, 'listNodes' | 'createNode' | 'getNode' | 'updateNode' | 'deleteNode'> {
  const { db, encryptor, protocols } = context
  return {
    async listNodes({ identity, query, links }) {
      const { count, nodes } = await listNodes(db, encryptor, {
        organizationId: identity.organizationId,
        projectId: query.project,
        chain: query.chain,
        network: query.network,
        name: query.name,
        ...orders[query.order_by],
        ...rangeOf(query),
      })
      const parts = addressParts(context, links)
      return {
        ...envelope(count, query, links),
        results: nodes.map((node) => presentNode(protocols, node, parts)),
      }
    },

    async getNode({ identity, path, links }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      return createResponse(presentNode(protocols, node, addressParts(context, links)), {
        etag: node.version,
      })
    },

    async createNode(call) {
      const { identity, body, links } = call
      await checkTargets(context, body.upstreams)
      return db.transaction().execute(async (transaction) => {
        const options = deploymentOptions(protocols, await findConfiguredNode(transaction, encryptor))
        const planned = planNode(protocols, body, options)
        if ('errors' in planned) throw invalid(planned.errors)
        const project = await lockProject(transaction, identity.organizationId, body.project)
        if (project === undefined) throw invalid({ project: ['The project does not exist.'] })
        const { name, beacon_debug: beaconDebug } = body
        // A caller who may not issue credentials does not get any with a new node.
        const mayIssue = identity.scopes.has('credentials:write')
        const kinds = mayIssue ? firstKinds(protocols, planned.plan.protocols) : []
        await assertWithinLimits(transaction, context.organizationLimits, identity, {
          maxNodesPerOrganization: 1,
          maxCredentialsPerOrganization: kinds.length,
        })
        const id = await insertNode(transaction, encryptor, {
          ...planned.plan,
          projectId: project.id,
          name,
          beaconDebug,
        })
        const node = assertExists(await findNode(transaction, encryptor, identity.organizationId, id))
        await writeAudit(transaction, call, {
          action: 'node.create',
          object: { kind: 'node', id, name },
          changes: changesBetween(undefined, auditedNode(protocols, node)),
        })
        const credentials = await issueFirst(transaction, context, call, { node, kinds })
        const token = credentials.find(({ kind }) => kind === 'token')?.token
        const presented = presentNode(protocols, node, addressParts(context, links), token)
        return createResponse({ ...presented, credentials }, { etag: node.version })
      })
    },

    async updateNode(call) {
      const { organizationId } = call.identity
      await checkTargets(context, call.body.upstreams)
      return db.transaction().execute(async (transaction) => {
        const before = orNotFound(await lockNode(transaction, encryptor, organizationId, call.path.id))
        assertMatch(call.ifMatch, before.version)
        const { id } = before
        const changes = changesOf(protocols, before, call.body)
        if (Object.keys(changes).length > 0) await updateNode(transaction, encryptor, id, changes)
        const after = assertExists(await findNode(transaction, encryptor, organizationId, id))
        if (after.version !== before.version) {
          await writeAudit(transaction, call, {
            action: 'node.update',
            object: { kind: 'node', id, name: after.name },
            changes: changesBetween(auditedNode(protocols, before), auditedNode(protocols, after)),
          })
        }
        return createResponse(presentNode(protocols, after, addressParts(context, call.links)), {
          etag: after.version,
        })
      })
    },

    async deleteNode(call) {
      return db.transaction().execute(async (transaction) => {
        const before = orNotFound(
          await lockNode(transaction, encryptor, call.identity.organizationId, call.path.id),
        )
        const { id, name } = before
        assertMatch(call.ifMatch, before.version)
        if (before.managedBy === 'configuration') throw managed()
        await deleteNode(transaction, id)
        await writeAudit(transaction, call, {
          action: 'node.delete',
          object: { kind: 'node', id, name },
          changes: changesBetween(auditedNode(protocols, before), undefined),
        })
        return undefined
      })
    },
  }
}

function addressParts({ publicUrl, nodes }: NodeContext, { address }: PageLinks): AddressParts {
  const base = publicUrl?.replace(/\/+$/, '') ?? new URL(address).origin
  return { base, nodeDomain: nodes.nodeDomain }
}

async function checkTargets(
  { nodes, protocols }: NodeContext,
  upstreams: UpstreamInput | undefined,
): Promise<void> {
  if (upstreams === undefined) return
  const form = validateUpstreams(protocols, upstreams)
  if (Object.keys(form).length > 0) throw invalid(form)
  const { privateUpstreams: isPrivateAllowed = true, gatewayUrls = () => [], nodeDomain } = nodes
  const errors = await validateTargets(protocols, upstreams, {
    isPrivateAllowed,
    gatewayUrls,
    nodeDomain,
  })
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** Issues the first credentials: one of each kind that the node supports. */
/** The kinds of the credentials of a new node. */
function firstKinds(
  descriptions: readonly ProtocolDescription[],
  protocols: readonly string[],
): readonly CredentialKind[] {
  const kinds = descriptions
    .filter(({ name }) => protocols.includes(name))
    .flatMap(({ credentialKinds }) => credentialKinds)
  return ['token', 'basic', ...kinds]
}

async function issueFirst(
  transaction: Kysely<Database>,
  { encryptor, nodes }: NodeContext,
  call: PlatformCall<'createNode'>,
  { node, kinds }: { readonly node: NodeRecord; readonly kinds: readonly CredentialKind[] },
) {
  // The request has no expiry for them, so those of a key that expires end with the key.
  const { expiresAt } = call.identity
  const credentials = []
  for (const kind of kinds) {
    const input = { node, kind, expiresAt }
    credentials.push((await issueCredential(transaction, { encryptor, nodes }, call, input)).shown)
  }
  return credentials
}

function changesOf(
  descriptions: readonly ProtocolDescription[],
  node: NodeRecord,
  body: Body<'updateNode'>,
): NodeChanges {
  const { name, network, upstreams, beacon_debug: beaconDebug } = body
  const isMoved = network !== undefined || upstreams !== undefined
  if (node.managedBy === 'configuration' && (isMoved || beaconDebug !== undefined)) throw managed()
  const planned = upstreams && planUpstreams(descriptions, upstreams, node.chain)
  if (planned && 'errors' in planned) throw invalid(planned.errors)
  return {
    ...(name !== undefined && name !== node.name && { name }),
    ...(network !== undefined && { network }),
    ...(upstreams &&
      planned && { upstreams: textsOf(descriptions, upstreams), protocols: planned.protocols }),
    ...(beaconDebug !== undefined && { beaconDebug }),
    ...(isMoved && { option: null }),
  }
}

function invalid(fields: ValidationErrors): PlatformError {
  return new PlatformError('invalid', { fields })
}

function managed(): PlatformError {
  return new PlatformError('conflict', {
    message: 'The node is managed by the configuration of the gateway. Change it there.',
  })
}
