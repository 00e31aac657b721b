import type { CredentialKind, NodeGrant } from '../grants/grant.ts'
import { authenticate, authenticateXToken, type UnknownCredential } from './find-credential.ts'
import type { Directory } from './directory.ts'
import type { GuessWatch } from './failed-attempts.ts'
import {
  clientAddress,
  type HeadState,
  type RequestSource,
  type TrustedProxies,
} from '../http/client-address.ts'
import { rulesOf } from '../admission/access-rules.ts'
import type { Admission, Refusal } from '../admission/types.ts'
import { wholeSeconds } from '../admission/rejections.ts'

/** What stands before every node: who calls, and whether he may at all. */
export interface Door {
  /** Finds the node that the credential of a request opens to its sender. */
  enter(
    protocol: string,
    path: { readonly token?: string | undefined },
    request: RequestSource,
  ): NodeGrant | Refusal
  /**
   * The same for a protocol whose credential is the metadata `x-token`.
   *
   * @param host - `:authority` of the call
   */
  enterWithXToken(
    protocol: string,
    xToken: string | undefined,
    host: string | undefined,
    request: RequestSource,
  ): NodeGrant | Refusal
  /** The origin whose pages may read the answers of a node by its own rules; undefined when it has none for it. */
  originFor(grant: NodeGrant, origin: string | undefined): string | undefined
  /** The same where nobody has come in yet, as a browser asks first: by the credential, if there is one. */
  originOf(kind: CredentialKind, secret: string | undefined, origin: string | undefined): string | undefined
  /** Address of the client, behind trusted proxies the one that they name. */
  addressOf(request: RequestSource): string
  /** Reads requests in another way from now on. */
  change(settings: DoorSettings): void
}

/** How a door reads requests. */
export interface DoorSettings {
  readonly trustedProxies: TrustedProxies | undefined
  /** Domain below which each node has a host of its own. */
  readonly nodeDomain: string | undefined
}

/** What a door is made with. */
export interface DoorParts extends DoorSettings {
  readonly directory: Directory
  readonly admission: Admission
  readonly guesses: GuessWatch
}

/** Makes the door. */
export function createDoor(parts: DoorParts): Door {
  const { directory, admission, guesses } = parts
  let settings: DoorSettings = parts

  const addressOf = (request: RequestSource): string => {
    const headState = headStateOf(request, settings)
    if (headState === undefined) return clientAddress(request, settings.trustedProxies)
    return (headState.address ??= clientAddress(request, settings.trustedProxies))
  }

  const enter = (
    found: NodeGrant | UnknownCredential,
    protocol: string,
    request: RequestSource,
  ): NodeGrant | Refusal => {
    const address = addressOf(request)
    if ('reason' in found) return notKnown(found, found.isGuess ? guesses.failed(address) : 0)
    return admission.enter(found, protocol, { address, origin: request.headers.origin }) ?? found
  }

  const originFor = (grant: NodeGrant | undefined, origin: string | undefined) => {
    if (grant === undefined || origin === undefined) return undefined
    const rules = rulesOf(grant)
    return rules?.hasOriginRules === true && rules.origin(origin) ? origin : undefined
  }

  return {
    enter: (protocol, path, request) => {
      const headState = headStateOf(request, settings)
      const { nodeDomain } = settings
      const { version } = directory
      const known = headState?.entered
      if (known?.version === version && known.protocol === protocol) return known.grant
      const entered = enter(authenticate(directory, path, request.headers, nodeDomain), protocol, request)
      if (!('status' in entered)) {
        // One that ends by itself is looked at every time.
        if (headState && entered.expiresAt === undefined)
          headState.entered = { grant: entered, protocol, version }
        return entered
      }
      return entered.status === 401 ? { ...entered, reason: `Unauthorized: ${entered.reason}` } : entered
    },
    enterWithXToken: (protocol, xToken, host, request) =>
      enter(authenticateXToken(directory, xToken, host, settings.nodeDomain), protocol, request),
    originFor,
    originOf: (kind, secret, origin) =>
      originFor(secret === undefined ? undefined : directory.find(kind, secret), origin),
    addressOf,
    change: (next) => {
      settings = next
    },
  }
}

/** What is remembered of requests like this one, by these settings. */
function headStateOf({ headState }: RequestSource, settings: DoorSettings): HeadState | undefined {
  if (headState !== undefined && headState.readBy !== settings) {
    headState.readBy = settings
    headState.address = undefined
    headState.entered = undefined
  }
  return headState
}

function notKnown({ reason }: UnknownCredential, waitMs: number): Refusal {
  if (waitMs === 0) return { status: 401, reason }
  return {
    status: 429,
    reason: 'Too many unknown credentials came from this address.',
    retryAfterSeconds: wholeSeconds(waitMs),
  }
}
