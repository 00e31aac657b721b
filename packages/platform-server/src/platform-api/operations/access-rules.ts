import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { ruleOfValues, ruleValue } from '../../endpoints/rule-value.ts'
import {
  type AccessRuleRecord,
  countAccessRules,
  deleteAccessRule,
  findAccessRule,
  findAccessRuleOf,
  insertAccessRule,
  listAccessRules,
  maxRules,
  updateAccessRule,
} from '../../records/access-rules.ts'
import { findNode, lockNode } from '../../records/nodes.ts'
import type { RuleKind } from '@fairlead/gateway-core/grants/access-rule'
import { createResponse, assertMatch } from '../operation-response.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers, Success } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'

type AccessRuleOperations = Pick<
  Handlers,
  'listAccessRules' | 'createAccessRule' | 'getAccessRule' | 'updateAccessRule' | 'deleteAccessRule'
>

/** The operations on the access rules of nodes. */
export function accessRuleOperations({
  db,
  encryptor,
}: Pick<OperationContext, 'db' | 'encryptor'>): AccessRuleOperations {
  return {
    async listAccessRules({ identity, path, query, links }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const { count, rules } = await listAccessRules(db, { nodeId: node.id, ...rangeOf(query) })
      return { ...envelope(count, query, links), results: rules.map(presentRule) }
    },

    async getAccessRule({ identity, path }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const rule = orNotFound(await findAccessRule(db, node.id, path.rule_id))
      return createResponse(presentRule(rule), { etag: rule.version })
    },

    async createAccessRule(call) {
      const { kind, action, active = true } = call.body
      const value = readValue(kind, call.body.value)
      return db.transaction().execute(async (transaction) => {
        const node = orNotFound(
          await lockNode(transaction, encryptor, call.identity.organizationId, call.path.id),
        )
        if ((await findAccessRuleOf(transaction, node.id, kind, value)) !== undefined) throw alreadyExists()
        if ((await countAccessRules(transaction, node.id, kind)) >= maxRules) {
          throw new PlatformError('limit_reached', {
            message: `The node already has ${maxRules} rules of this kind, which is the maximum.`,
          })
        }
        const id = await insertAccessRule(transaction, { nodeId: node.id, kind, value, action, active })
        const rule = assertExists(await findAccessRule(transaction, node.id, id))
        await writeAudit(transaction, call, {
          action: 'access_rule.create',
          object: objectOf(rule),
          changes: changesBetween(undefined, { node: node.id, ...audited(rule) }),
        })
        return createResponse(presentRule(rule), { etag: rule.version })
      })
    },

    async updateAccessRule(call) {
      return db.transaction().execute(async (transaction) => {
        const node = orNotFound(
          await lockNode(transaction, encryptor, call.identity.organizationId, call.path.id),
        )
        const before = orNotFound(await findAccessRule(transaction, node.id, call.path.rule_id))
        assertMatch(call.ifMatch, before.version)
        const { id, kind } = before
        const { action = before.action, active = before.active } = call.body
        const value = call.body.value === undefined ? before.value : readValue(kind, call.body.value)
        const existing = await findAccessRuleOf(transaction, node.id, kind, value)
        if (existing !== undefined && existing !== id) throw alreadyExists()
        const changes = changesBetween(audited(before), { kind, value, action, active })
        if (Object.keys(changes).length > 0) {
          await updateAccessRule(transaction, id, { value, action, active })
          const object = objectOf({ id, kind, value })
          await writeAudit(transaction, call, { action: 'access_rule.update', object, changes })
        }
        const after = assertExists(await findAccessRule(transaction, node.id, id))
        return createResponse(presentRule(after), { etag: after.version })
      })
    },

    async deleteAccessRule(call) {
      return db.transaction().execute(async (transaction) => {
        const node = orNotFound(
          await lockNode(transaction, encryptor, call.identity.organizationId, call.path.id),
        )
        const rule = orNotFound(await findAccessRule(transaction, node.id, call.path.rule_id))
        assertMatch(call.ifMatch, rule.version)
        await deleteAccessRule(transaction, rule.id)
        await writeAudit(transaction, call, {
          action: 'access_rule.delete',
          object: objectOf(rule),
          changes: changesBetween(audited(rule), undefined),
        })
        return undefined
      })
    },
  }
}

function presentRule({
  id,
  kind,
  value,
  action,
  active,
  createdAt,
}: AccessRuleRecord): Success<'getAccessRule'> {
  return { id, kind, value, action, active, created_at: createdAt }
}

function audited({ kind, value, action, active }: AccessRuleRecord) {
  return { kind, value, action, active }
}

function objectOf({ id, kind, value }: Pick<AccessRuleRecord, 'id' | 'kind' | 'value'>) {
  return { kind: 'access_rule', id, name: `${kind} ${value}` }
}

function readValue(kind: RuleKind, text: string): string {
  const value = ruleValue(kind, text)
  if (value === undefined) throw new PlatformError('invalid', { fields: { value: [ruleOfValues(kind)] } })
  return value
}

function alreadyExists(): PlatformError {
  return new PlatformError('conflict', { message: 'The node already has a rule of this kind for the value.' })
}
