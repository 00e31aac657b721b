import type { Refusal } from '../admission/types.ts'
import type { Door } from './authenticator.ts'
import type { RequestSource } from '../http/client-address.ts'
import type { NodeGrant } from '../grants/grant.ts'

/** Records the use of credentials. */
export interface CredentialUseRecorder {
  /**
   * Records that a credential was used, at the cost of a table lookup.
   *
   * @param address - of the client
   */
  note(credentialId: string, address: string): void
}

/** A door that notes which credentials open it, and from where. */
export function notedDoor(door: Door, use: CredentialUseRecorder): Door {
  const noted = (entered: NodeGrant | Refusal, request: RequestSource) => {
    if (!('status' in entered)) use.note(entered.credentialId, door.addressOf(request))
    return entered
  }
  return {
    ...door,
    enter: (protocol, path, request) => noted(door.enter(protocol, path, request), request),
    enterWithXToken: (protocol, xToken, host, request) =>
      noted(door.enterWithXToken(protocol, xToken, host, request), request),
  }
}
