import type { Route } from '@fairlead/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import {
  type FailedAttemptLimiter,
  addressPrefix,
} from '@fairlead/gateway-core/authentication/failed-attempts'
import { bearerIdentity } from '../identity/bearer-identity.ts'
import type { Identity } from '../identity/identity.ts'
import type { LookupLimit } from '../identity/lookup-limit.ts'
import { sessionIdentity } from '../identity/session-identity.ts'
import type { Database } from '../store/database.ts'
import type { OrganizationLimits } from '../records/organization-limits.ts'
import type { OperationId, RequestOrigin } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import { type RateLimits, type RatePolicy, defaultPolicy, reportingPolicy } from './rate-limits.ts'
import { assertSameSite } from './same-site.ts'

/** Dependencies of {@link authorize}. */
export interface IdentifyParts {
  readonly db: Kysely<Database>
  readonly failedAttempts: FailedAttemptLimiter | undefined
  readonly lookups: LookupLimit
  readonly limits: RateLimits
  readonly organizationLimits: OrganizationLimits
  readonly publicUrl: string | undefined
}

/**
 * Authenticates a request, authorizes it for an operation and applies the rate limit. A bearer token takes precedence
 * over a cookie.
 *
 * @returns the caller; undefined for a public operation
 * @throws {@link PlatformError} `not_authenticated`, `authentication_failed`, `csrf_failed`, `permission_denied`,
 *   `throttled`
 */
export async function authorize(
  parts: IdentifyParts,
  route: Route,
  exchange: {
    readonly request: FastifyRequest
    readonly reply: FastifyReply
    readonly requestOrigin: RequestOrigin
  },
): Promise<Identity | undefined> {
  const { request, reply, requestOrigin } = exchange
  const count = (caller: string, policy = generalPolicyOf(route)) => {
    const { isAllowed, headers } = parts.limits.take(policy, caller)
    void reply.headers(headers)
    if (!isAllowed) throw new PlatformError('throttled', { headers })
  }
  const ofAddress = `address ${addressPrefix(request.ip)}`
  let identity: Identity | undefined
  try {
    identity = await identify(parts, route, request, requestOrigin)
  } catch (error) {
    count(ofAddress)
    throw error
  }
  count(identity === undefined ? ofAddress : identity.id)
  if (identity !== undefined) assertScopes(route, identity)
  if (identity !== undefined && issuingOperations.has(route.operationId)) {
    // Counted for the organization, whose keys and members could issue more together.
    const quota = parts.organizationLimits.maxNewCredentialsPerMinute
    count(`organization ${identity.organizationId}`, { name: 'credentials', quota })
  }
  return identity
}

const issuingOperations: ReadonlySet<string> = new Set<OperationId>([
  'createNode',
  'createCredential',
  'rotateCredential',
  'createApiKey',
  'rotateApiKey',
])

function generalPolicyOf({ tags }: Route): RatePolicy {
  return tags?.includes('Reporting') === true ? reportingPolicy : defaultPolicy
}

async function identify(
  { db, failedAttempts, lookups, publicUrl }: IdentifyParts,
  route: Route,
  request: FastifyRequest,
  requestOrigin: RequestOrigin,
): Promise<Identity | undefined> {
  const { headers } = request
  const isUnsafe = route.method !== 'GET'
  if (headers.authorization !== undefined && route.public !== true) {
    return bearerIdentity({ db, failedAttempts, lookups }, headers.authorization, request.ip)
  }
  if (isUnsafe) assertSameSite(headers, gatewayHosts(request, publicUrl))
  if (route.public === true) return undefined
  const csrfToken = headers['x-csrf-token']
  const identity = await sessionIdentity(
    { db, lookups },
    {
      requestOrigin,
      address: request.ip,
      isUnsafe,
      csrfToken: typeof csrfToken === 'string' ? csrfToken : undefined,
    },
  )
  if (identity === undefined) throw new PlatformError('not_authenticated')
  return identity
}

function gatewayHosts(request: FastifyRequest, publicUrl: string | undefined): readonly string[] {
  return [request.host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])]
}

// Fails closed: a route without scopes is available to no caller.
function assertScopes({ operationId, scopes }: Route, identity: Identity): void {
  if (scopes === undefined) throw new Error(`${operationId} has no scopes.`)
  const granted: ReadonlySet<string> = identity.scopes
  if (scopes.every((scope) => granted.has(scope))) return
  const challenge = `Bearer realm="platform", error="insufficient_scope", scope="${scopes.join(' ')}"`
  throw new PlatformError('permission_denied', { headers: { 'www-authenticate': challenge } })
}
