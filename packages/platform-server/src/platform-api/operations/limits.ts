import type { Kysely } from 'kysely'
import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { validateLimits, limitsOf, presentLimits, presentUse } from '../../endpoints/present-limits.ts'
import { findLimits, type LimitsOwner, putLimits, readLimitsUse } from '../../records/limits.ts'
import { findNodeCredential } from '../../records/node-credentials.ts'
import { findNode, lockNode } from '../../records/nodes.ts'
import { findProject, lockProject } from '../../records/projects.ts'
import type { Database } from '../../store/database.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import type { Body, Handlers, PlatformCall } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'

type LimitOperations = Pick<
  Handlers,
  | 'getProjectLimits'
  | 'putProjectLimits'
  | 'getNodeLimits'
  | 'putNodeLimits'
  | 'getCredentialLimits'
  | 'putCredentialLimits'
>

/** The operations on the limits of projects, nodes and credentials. */
export function limitOperations({
  db,
  encryptor,
}: Pick<OperationContext, 'db' | 'encryptor'>): LimitOperations {
  const presentOwnerLimits = async (transaction: Kysely<Database>, owner: LimitsOwner) => {
    const { limits, version } = await findLimits(transaction, owner)
    const used = presentUse(await readLimitsUse(transaction, owner))
    return createResponse({ ...presentLimits(limits), used }, { etag: version })
  }

  const put = async (
    transaction: Kysely<Database>,
    call: Pick<PlatformCall<'putNodeLimits'>, 'identity' | 'origin' | 'ifMatch' | 'body'>,
    owner: LimitsOwner,
    name: string,
  ) => {
    const before = await findLimits(transaction, owner)
    assertMatch(call.ifMatch, before.version)
    const limits = readLimits(call.body)
    const changes = changesBetween(presentLimits(before.limits), presentLimits(limits))
    if (Object.keys(changes).length > 0) {
      await putLimits(transaction, owner, limits)
      const object = { ...owner, name }
      await writeAudit(transaction, call, { action: 'limits.update', object, changes })
    }
    return presentOwnerLimits(transaction, owner)
  }

  return {
    async getProjectLimits({ identity, path }) {
      const { project } = orNotFound(await findProject(db, identity.organizationId, path.id))
      return presentOwnerLimits(db, { kind: 'project', id: project.id })
    },

    async getNodeLimits({ identity, path }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      return presentOwnerLimits(db, { kind: 'node', id: node.id })
    },

    async getCredentialLimits({ identity, path }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const { id } = orNotFound(await findNodeCredential(db, node.id, path.credential_id))
      return presentOwnerLimits(db, { kind: 'credential', id })
    },

    // The owner is locked, so that concurrent changes of its limits run one after the other.
    putProjectLimits: (call) =>
      db.transaction().execute(async (transaction) => {
        const { id, name } = orNotFound(
          await lockProject(transaction, call.identity.organizationId, call.path.id),
        )
        return put(transaction, call, { kind: 'project', id }, name)
      }),

    putNodeLimits: (call) =>
      db.transaction().execute(async (transaction) => {
        const { id, name } = orNotFound(
          await lockNode(transaction, encryptor, call.identity.organizationId, call.path.id),
        )
        return put(transaction, call, { kind: 'node', id }, name)
      }),

    putCredentialLimits: (call) =>
      db.transaction().execute(async (transaction) => {
        const node = orNotFound(
          await lockNode(transaction, encryptor, call.identity.organizationId, call.path.id),
        )
        const { id, label } = orNotFound(
          await findNodeCredential(transaction, node.id, call.path.credential_id),
        )
        return put(transaction, call, { kind: 'credential', id }, label)
      }),
  }
}

function readLimits(body: Body<'putNodeLimits'>) {
  const fields = validateLimits(body)
  if (Object.keys(fields).length > 0) throw new PlatformError('invalid', { fields })
  return limitsOf(body)
}
