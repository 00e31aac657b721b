import { writeAudit } from '../../audit/write-audit.ts'
import type { Identity } from '../../identity/identity.ts'
import { deleteSession, deleteSessionsOf, listSessions } from '../../records/sessions.ts'
import { findPassword, findSignInUser, setPassword } from '../../records/users.ts'
import { clearCookie, readCookie } from '../../sessions/session-cookie.ts'
import { loggableError } from '@fairlead/gateway-core/telemetry/loggable-error'
import { createResponse } from '../operation-response.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers, PlatformCall } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { describeSession, openSession } from '../sign-in.ts'

/** The operations on sessions and passwords of console users. */
export function sessionOperations({
  db,
  log,
  passwords,
  signInThrottle,
}: Pick<OperationContext, 'db' | 'log' | 'passwords' | 'signInThrottle'>): Pick<
  Handlers,
  'createSession' | 'getSession' | 'endSession' | 'listSessions' | 'revokeSession' | 'changePassword'
> {
  const attempt = (address: string, account: string) => {
    const seconds = signInThrottle.attempt(address, account)
    if (seconds === 0) return
    throw new PlatformError('throttled', { headers: { 'retry-after': String(Math.min(seconds, 60)) } })
  }
  return {
    async createSession({ body, origin, requestOrigin }) {
      const email = body.email.toLowerCase()
      attempt(origin.ip, email)
      const user = await findSignInUser(db, email)
      const isPasswordCorrect = await passwords.matches(user?.passwordHash, body.password)
      if (user === undefined || !isPasswordCorrect) {
        // Not awaited: the duration of the response must not reveal whether the user exists.
        if (user !== undefined) {
          auditFailure(db, user, origin).catch((error: unknown) => {
            log.error({ error: loggableError(error) }, 'a failed sign-in could not be audited')
          })
        }
        throw new PlatformError('authentication_failed', {
          message: 'The e-mail address or the password is incorrect.',
        })
      }
      signInThrottle.succeeded(origin.ip, email)
      const session = await db
        .transaction()
        .execute((transaction) =>
          openSession(transaction, user, { origin, requestOrigin, authenticationAge: 0 }),
        )
      return session.response
    },

    async getSession({ identity, requestOrigin }) {
      return describeSession(db, identity, tokenOf(identity, requestOrigin))
    },

    async endSession(call) {
      const { identity, requestOrigin } = call
      tokenOf(identity, requestOrigin)
      await endSession(db, call, identity.id)
      return createResponse(undefined, { headers: { 'set-cookie': clearCookie(requestOrigin, 'session') } })
    },

    async listSessions({ identity, query, links, requestOrigin }) {
      tokenOf(identity, requestOrigin)
      const { userId } = identity
      const { count, sessions } = await listSessions(db, { userId, ...rangeOf(query) })
      const results = sessions.map((session) => ({ ...session, current: session.id === identity.id }))
      return { ...envelope(count, query, links), results }
    },

    async revokeSession(call) {
      tokenOf(call.identity, call.requestOrigin)
      await endSession(db, call, call.path.id)
      return undefined
    },

    async changePassword(call) {
      const { identity, body, origin, requestOrigin } = call
      tokenOf(identity, requestOrigin)
      const { userId, label, id } = identity
      const password = await findPassword(db, userId)
      if (typeof password?.hash !== 'string') {
        throw new PlatformError('conflict', {
          message: 'The user signs in without a password, so it cannot be changed.',
        })
      }
      attempt(origin.ip, label)
      if (!(await passwords.matches(password.hash, body.current_password))) {
        throw invalid('current_password', 'Is not the current password of the user.')
      }
      signInThrottle.succeeded(origin.ip, label)
      if (body.new_password === body.current_password) {
        throw invalid('new_password', 'Must differ from the current password.')
      }
      const hash = await passwords.hash(body.new_password)
      await db.transaction().execute(async (transaction) => {
        await setPassword(transaction, userId, { hash, origin: 'user', mustChange: false })
        await deleteSessionsOf(transaction, userId, id)
        await writeAudit(transaction, call, {
          action: 'password.change',
          object: { kind: 'member', id: userId, name: label },
        })
      })
      return undefined
    },
  }
}

/** Returns the value of the session cookie; rejects API keys, which have no cookie. */
function tokenOf(identity: Identity, requestOrigin: PlatformCall<'getSession'>['requestOrigin']): string {
  const token = identity.kind === 'session' ? readCookie(requestOrigin, 'session') : undefined
  if (token !== undefined) return token
  throw new PlatformError('permission_denied', {
    message: 'This operation requires a session. API keys cannot use it.',
  })
}

async function endSession(
  db: OperationContext['db'],
  call: Pick<PlatformCall<'endSession'>, 'identity' | 'origin'>,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { userId, label } = call.identity
    if (!(await deleteSession(transaction, userId, id))) throw new PlatformError('not_found')
    await writeAudit(transaction, call, {
      action: 'session.delete',
      object: { kind: 'session', id, name: label },
    })
  })
}

async function auditFailure(
  db: OperationContext['db'],
  { id, email, organizationId }: NonNullable<Awaited<ReturnType<typeof findSignInUser>>>,
  origin: PlatformCall<'createSession'>['origin'],
): Promise<void> {
  const identity = { kind: 'system', id: '', label: 'sign-in', userId: id, organizationId } as const
  const object = { kind: 'member', id, name: email }
  await writeAudit(db, { identity, origin }, { action: 'session.fail', object })
}

function invalid(field: string, message: string): PlatformError {
  return new PlatformError('invalid', { fields: { [field]: [message] } })
}
