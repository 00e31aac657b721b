import type { Kysely } from 'kysely'
import type { Units } from '../../access/meter/units.ts'
import { findNodeMethods } from '../records/node-methods.ts'
import { findOrganization } from '../records/organizations.ts'
import { type ProjectQuery, findProject, insertProject, listProjects } from '../records/projects.ts'
import type { Database } from '../store/database.ts'
import { nodeMethods } from './node-methods.ts'
import { nodeUsage } from './node-usage.ts'
import { envelope, pageOffset, pageSize } from './page-links.ts'
import type { Handlers, Query } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'

const orders: Readonly<
  Record<Query<'listProjects'>['order_by'], Pick<ProjectQuery, 'orderBy' | 'descending'>>
> = {
  name: { orderBy: 'name', descending: false },
  '-name': { orderBy: 'name', descending: true },
  created_at: { orderBy: 'created_at', descending: false },
  '-created_at': { orderBy: 'created_at', descending: true },
}

/** What each operation of the platform API does. */
export function platformHandlers(db: Kysely<Database>, units: Units): Handlers {
  return {
    async getOrganization({ key }) {
      return present(await findOrganization(db, key.organizationId))
    },

    async listProjects({ key, query, links }) {
      const { organizationId } = key
      // A foreign organization gives an empty list, the same as one that does not exist.
      const isForeign = query.organization !== undefined && query.organization !== organizationId
      const { count, projects } = isForeign
        ? { count: 0, projects: [] }
        : await listProjects(db, {
            organizationId,
            name: query.name,
            type: query.type,
            ...orders[query.order_by],
            limit: pageSize,
            offset: pageOffset(query.page),
          })
      return { ...envelope(count, query.page, links), results: projects }
    },

    async listNodeMethods({ key, path, query, links }) {
      const node = await findNodeMethods(db, key.organizationId, path.id)
      if (node === undefined) throw new PlatformError('not_found')
      const methods = nodeMethods(node.chain, node.methods, units)
      const start = pageOffset(query.page)
      return {
        ...envelope(methods.length, query.page, links),
        results: methods.slice(start, start + pageSize),
      }
    },

    listNodeUsage: (call) => nodeUsage(db, call),

    async createProject({ key, body }) {
      const { organizationId, creatorId } = key
      const { name, description = '', type } = body
      return db.transaction().execute(async (transaction) => {
        const id = await insertProject(transaction, { organizationId, creatorId, name, description, type })
        return present(await findProject(transaction, organizationId, id))
      })
    },
  }
}

// A row that a foreign key or this very transaction vouches for.
function present<value>(value: value | undefined): value {
  if (value === undefined) throw new Error('A row that must exist is missing.')
  return value
}
