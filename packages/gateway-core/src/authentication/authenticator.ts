import type { CredentialKind, Grant } from '../grants/grant.ts'
import { findCredential, findXToken, type AuthenticationFailure } from './find-credential.ts'
import type { Directory } from './directory.ts'
import type { FailedAttemptLimiter } from './failed-attempts.ts'
import {
  clientAddress,
  type HeadState,
  type RequestSource,
  type TrustedProxies,
} from '../http/client-address.ts'
import { rulesOf } from '../admission/access-rules.ts'
import type { Admission, Rejection } from '../admission/types.ts'
import { retryAfterSeconds } from '../admission/rejections.ts'
import { memoryOf } from '../clients/client-memory.ts'

/**
 * Authenticates a request and authorizes it for one endpoint. From then on, the memory of its connection counts for its
 * organization.
 */
export interface Authenticator {
  /** Returns the grant of the node that the credential of a request gives access to. */
  authenticate(
    protocol: string,
    path: { readonly token?: string | undefined },
    request: RequestSource,
  ): Grant | Rejection
  /**
   * Same as {@link authenticate}, for a protocol whose credential is the metadata `x-token`.
   *
   * @param host - `:authority` of the call
   */
  authenticateXToken(
    protocol: string,
    xToken: string | undefined,
    host: string | undefined,
    request: RequestSource,
  ): Grant | Rejection
  /**
   * The origin whose pages may read the responses of a node according to its rules; undefined when no rule allows it.
   */
  originFor(grant: Grant, origin: string | undefined): string | undefined
  /** Same as {@link originFor}, for CORS preflights before authentication: by the credential, if there is one. */
  originOf(kind: CredentialKind, secret: string | undefined, origin: string | undefined): string | undefined
  /** IP address of the client; behind trusted proxies, the address that they report. */
  addressOf(request: RequestSource): string
  /** Applies new settings. */
  change(settings: AuthenticatorSettings): void
}

/** Settings of an authenticator. */
export interface AuthenticatorSettings {
  readonly trustedProxies: TrustedProxies | undefined
  /** Domain below which each node has its own host name. */
  readonly nodeDomain: string | undefined
}

/** Dependencies and settings of an authenticator. */
export interface AuthenticatorDependencies extends AuthenticatorSettings {
  readonly directory: Directory
  readonly admission: Admission
  readonly failedAttempts: FailedAttemptLimiter
}

/** Creates an authenticator. */
export function createAuthenticator(dependencies: AuthenticatorDependencies): Authenticator {
  const { directory, admission, failedAttempts } = dependencies
  let settings: AuthenticatorSettings = dependencies

  const addressOf = (request: RequestSource): string => {
    const headState = headStateOf(request, settings)
    if (headState === undefined) return clientAddress(request, settings.trustedProxies)
    return (headState.address ??= clientAddress(request, settings.trustedProxies))
  }

  const authenticated = (
    found: Grant | AuthenticationFailure,
    protocol: string,
    request: RequestSource,
  ): Grant | Rejection => {
    const address = addressOf(request)
    if ('reason' in found)
      return unauthorized(found, found.isFailedAttempt ? failedAttempts.recordFailure(address) : 0)
    const rejection = admission.checkRequester(found, protocol, { address, origin: request.headers.origin })
    if (rejection) return rejection
    memoryOf(request)?.authenticate(found)
    return found
  }

  const originFor = (grant: Grant | undefined, origin: string | undefined) => {
    if (grant === undefined || origin === undefined) return undefined
    const rules = rulesOf(grant)
    return rules?.hasOriginRules === true && rules.origin(origin) ? origin : undefined
  }

  return {
    authenticate: (protocol, path, request) => {
      const headState = headStateOf(request, settings)
      const { nodeDomain } = settings
      const { version } = directory
      const cached = headState?.entered
      if (cached?.version === version && cached.protocol === protocol) return cached.grant
      const entered = authenticated(
        findCredential(directory, path, request.headers, nodeDomain),
        protocol,
        request,
      )
      if (!('status' in entered)) {
        // A credential that expires is checked every time.
        if (headState && entered.expiresAt === undefined)
          headState.entered = { grant: entered, protocol, version }
        return entered
      }
      return entered.status === 401 ? { ...entered, reason: `Unauthorized: ${entered.reason}` } : entered
    },
    authenticateXToken: (protocol, xToken, host, request) =>
      authenticated(findXToken(directory, xToken, host, settings.nodeDomain), protocol, request),
    originFor,
    originOf: (kind, secret, origin) =>
      originFor(secret === undefined ? undefined : directory.find(kind, secret), origin),
    addressOf,
    change: (next) => {
      settings = next
    },
  }
}

/** The cached state of requests with the same headers. It is reset when the settings change. */
function headStateOf({ headState }: RequestSource, settings: AuthenticatorSettings): HeadState | undefined {
  if (headState !== undefined && headState.readBy !== settings) {
    headState.readBy = settings
    headState.address = undefined
    headState.entered = undefined
  }
  return headState
}

function unauthorized({ reason }: AuthenticationFailure, waitMs: number): Rejection {
  if (waitMs === 0) return { status: 401, reason }
  return {
    status: 429,
    reason:
      'Too many requests with unknown credentials from this IP address. Check the credential and try again later.',
    retryAfterSeconds: retryAfterSeconds(waitMs),
  }
}
