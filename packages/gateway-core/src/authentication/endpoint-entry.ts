import { isDeepStrictEqual } from 'node:util'
import type { CredentialKind, Grant } from '../grants/grant.ts'
import type { Limits } from '../grants/limits.ts'

/** What is of one credential alone. */
export interface CredentialPart {
  readonly credentialId: string
  readonly kind: CredentialKind
  readonly expiresAt: number | undefined
  readonly limits: Limits | undefined
}

type NodeData = Omit<Grant, 'credentialId' | 'kind' | 'expiresAt'>

/** What all credentials of one node open alike, kept once for them. */
export class EndpointEntry {
  /** How many credentials open it. */
  credentials = 0
  readonly nodeId: string
  /** One more than the slot of the credential that came last; 0 for none. The table links the others to it. */
  lastSlot = 0
  #data: NodeData
  /** Made when first asked for, by slot: most credentials of a large directory are not in use. */
  readonly #grants = new Map<number, Grant>()

  constructor(grant: Grant) {
    this.nodeId = grant.nodeId
    this.#data = dataOf(grant)
  }

  /** Takes over what a newer record says of the node; true when that is something else than before. */
  update(grant: Grant): boolean {
    if (isLike(this.#data, grant)) return false
    const data = dataOf(grant)
    if (isDeepStrictEqual(data, this.#data)) return false
    this.#data = data
    this.#grants.clear()
    return true
  }

  /** The grant of one credential: the same object until something in it changes, so that others may key by it. */
  grantOf(slot: number, partOf: (slot: number) => CredentialPart): Grant {
    const known = this.#grants.get(slot)
    if (known) return known
    const { limits, expiresAt, ...credential } = partOf(slot)
    const grant: Grant = {
      ...this.#data,
      ...credential,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(limits !== undefined && { limits: { ...this.#data.limits, credential: limits } }),
    }
    this.#grants.set(slot, grant)
    return grant
  }

  forget(slot: number): void {
    this.#grants.delete(slot)
  }
}

function dataOf(grant: Grant): NodeData {
  const { credentialId: _id, kind: _kind, expiresAt: _end, limits, ...shared } = grant
  if (limits?.node === undefined && limits?.project === undefined) return shared
  const { credential: _own, ...ofNode } = limits
  return { ...shared, limits: ofNode }
}

// Records that were read together share what they have in common: no need to look inside.
function isLike(data: NodeData, grant: Grant): boolean {
  return (
    data.upstreams === grant.upstreams &&
    data.protocols === grant.protocols &&
    data.withheldMethods === grant.withheldMethods &&
    data.accessRules === grant.accessRules &&
    data.limits?.node === grant.limits?.node &&
    data.limits?.project === grant.limits?.project &&
    data.settings === grant.settings &&
    data.projectId === grant.projectId &&
    data.organizationId === grant.organizationId &&
    data.chain === grant.chain &&
    data.network === grant.network
  )
}
