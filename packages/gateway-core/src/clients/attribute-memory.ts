import type { Authenticator } from '../authentication/authenticator.ts'
import type { Grant } from '../grants/grant.ts'
import type { Rejection } from '../admission/types.ts'
import type { RequestSource } from '../http/client-address.ts'
import { memoryOf } from './client-memory.ts'

/** Wraps an authenticator so that the memory of an authenticated request is counted for its tenant. */
export function attributeMemory(authenticator: Authenticator): Authenticator {
  const attributed = (entered: Grant | Rejection, request: RequestSource) => {
    if (!('status' in entered)) memoryOf(request)?.authenticate(entered)
    return entered
  }
  return {
    ...authenticator,
    authenticate: (protocol, path, request) =>
      attributed(authenticator.authenticate(protocol, path, request), request),
    authenticateXToken: (protocol, xToken, host, request) =>
      attributed(authenticator.authenticateXToken(protocol, xToken, host, request), request),
  }
}
