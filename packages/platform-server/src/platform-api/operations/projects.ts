import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import {
  deleteProject,
  findProject,
  insertProject,
  listProjects,
  lockProject,
  type ProjectQuery,
  updateProject,
} from '../../records/projects.ts'
import { assertWithinLimits } from '../assert-within-limits.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers, Query } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'

const orders: Readonly<
  Record<Query<'listProjects'>['order_by'], Pick<ProjectQuery, 'orderBy' | 'descending'>>
> = {
  name: { orderBy: 'name', descending: false },
  '-name': { orderBy: 'name', descending: true },
  created_at: { orderBy: 'created_at', descending: false },
  '-created_at': { orderBy: 'created_at', descending: true },
}

/** The operations on projects. */
export function projectOperations({
  db,
  organizationLimits,
}: Pick<OperationContext, 'db' | 'organizationLimits'>): Pick<
  Handlers,
  'listProjects' | 'createProject' | 'getProject' | 'updateProject' | 'deleteProject'
> {
  return {
    async listProjects({ identity, query, links }) {
      const { organizationId } = identity
      // Another organization gives an empty list, as one that does not exist.
      const isForeign = query.organization !== undefined && query.organization !== organizationId
      const { count, projects } = isForeign
        ? { count: 0, projects: [] }
        : await listProjects(db, {
            organizationId,
            name: query.name,
            type: query.type,
            ...orders[query.order_by],
            ...rangeOf(query),
          })
      return { ...envelope(count, query, links), results: projects }
    },

    async createProject(call) {
      const { organizationId, userId } = call.identity
      const { name, description = '', type } = call.body
      return db.transaction().execute(async (transaction) => {
        await assertWithinLimits(transaction, organizationLimits, call.identity, {
          maxProjectsPerOrganization: 1,
        })
        const id = await insertProject(transaction, {
          organizationId,
          creatorId: userId,
          name,
          description,
          type,
        })
        await writeAudit(transaction, call, {
          action: 'project.create',
          object: { kind: 'project', id, name },
          changes: changesBetween(undefined, { name, description, type }),
        })
        const { project, version } = assertExists(await findProject(transaction, organizationId, id))
        return createResponse(project, { etag: version })
      })
    },

    async getProject({ identity, path }) {
      const { project, version } = orNotFound(await findProject(db, identity.organizationId, path.id))
      return createResponse(project, { etag: version })
    },

    async updateProject(call) {
      const { organizationId } = call.identity
      return db.transaction().execute(async (transaction) => {
        const before = orNotFound(await lockProject(transaction, organizationId, call.path.id))
        assertMatch(call.ifMatch, before.version)
        const { id, version: _, ...fields } = before
        const { name = fields.name, description = fields.description, type = fields.type } = call.body
        const after = { name, description, type }
        const changes = changesBetween(fields, after)
        if (Object.keys(changes).length > 0) {
          await updateProject(transaction, id, after)
          const object = { kind: 'project', id, name }
          await writeAudit(transaction, call, { action: 'project.update', object, changes })
        }
        const { project, version } = assertExists(await findProject(transaction, organizationId, id))
        return createResponse(project, { etag: version })
      })
    },

    async deleteProject(call) {
      return db.transaction().execute(async (transaction) => {
        const before = orNotFound(await lockProject(transaction, call.identity.organizationId, call.path.id))
        const { id, version, ...fields } = before
        assertMatch(call.ifMatch, version)
        if (!(await deleteProject(transaction, id))) {
          throw new PlatformError('conflict', { message: 'The project still has nodes. Delete them first.' })
        }
        await writeAudit(transaction, call, {
          action: 'project.delete',
          object: { kind: 'project', id, name: fields.name },
          changes: changesBetween(fields, undefined),
        })
        return undefined
      })
    },
  }
}
