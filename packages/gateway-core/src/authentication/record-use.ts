import type { Rejection } from '../admission/types.ts'
import type { Authenticator } from './authenticator.ts'
import type { RequestSource } from '../http/client-address.ts'
import type { Grant } from '../grants/grant.ts'

/** Records the use of credentials. */
export interface CredentialUseRecorder {
  /**
   * Records that a credential was used, at the cost of a table lookup.
   *
   * @param address - IP address of the client
   */
  record(credentialId: string, address: string): void
}

/** Wraps an authenticator to record which credentials are used, and from which IP addresses. */
export function recordUse(authenticator: Authenticator, use: CredentialUseRecorder): Authenticator {
  const recorded = (entered: Grant | Rejection, request: RequestSource) => {
    if (!('status' in entered)) use.record(entered.credentialId, authenticator.addressOf(request))
    return entered
  }
  return {
    ...authenticator,
    authenticate: (protocol, path, request) =>
      recorded(authenticator.authenticate(protocol, path, request), request),
    authenticateXToken: (protocol, xToken, host, request) =>
      recorded(authenticator.authenticateXToken(protocol, xToken, host, request), request),
  }
}
