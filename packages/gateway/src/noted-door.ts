import type { Refusal } from './access/admit/admission.ts'
import type { Door } from './access/door.ts'
import type { RequestSource } from './access/listen/client-address.ts'
import type { CredentialUseSink } from './control/credential-use/credential-use.ts'
import type { NodeGrant } from './grants/node-grant.ts'

/** A door that notes which credentials open it, and from where. */
export function notedDoor(door: Door, use: Pick<CredentialUseSink, 'note'>): Door {
  const noted = (entered: NodeGrant | Refusal, request: RequestSource) => {
    if (!('status' in entered)) use.note(entered.credentialId, door.addressOf(request))
    return entered
  }
  return {
    ...door,
    enter: (protocol, path, request) => noted(door.enter(protocol, path, request), request),
    enterWithXToken: (xToken, host, request) => noted(door.enterWithXToken(xToken, host, request), request),
  }
}
