import { isDeepStrictEqual } from 'node:util'
import type { CredentialKind, Grant } from '../grants/grant.ts'
import type { Limits } from '../grants/limits.ts'

/** The data that is specific to one credential. */
export interface CredentialPart {
  readonly credentialId: string
  readonly kind: CredentialKind
  readonly expiresAt: number | undefined
  readonly limits: Limits | undefined
}

type NodeData = Omit<Grant, 'credentialId' | 'kind' | 'expiresAt'>

/** The data that all credentials of one node share, stored once. */
export class EndpointEntry {
  /** Number of credentials of the node. */
  credentials = 0
  readonly nodeId: string
  /** The slot of the most recently added credential plus one; 0 = none. The table links the others to it. */
  lastSlot = 0
  #data: NodeData
  /** Grants by slot. Created on first use, because most credentials of a large directory are not in use. */
  readonly #grants = new Map<number, Grant>()

  constructor(grant: Grant) {
    this.nodeId = grant.nodeId
    this.#data = dataOf(grant)
  }

  /** Applies the node data of a newer record. Returns true when anything changed. */
  update(grant: Grant): boolean {
    if (isLike(this.#data, grant)) return false
    const data = dataOf(grant)
    if (isDeepStrictEqual(data, this.#data)) return false
    this.#data = data
    this.#grants.clear()
    return true
  }

  /**
   * The grant of one credential: the same object until something in it changes, so that callers can use it as a key.
   */
  grantOf(slot: number, partOf: (slot: number) => CredentialPart): Grant {
    const cached = this.#grants.get(slot)
    if (cached) return cached
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

  delete(slot: number): void {
    this.#grants.delete(slot)
  }
}

function dataOf(grant: Grant): NodeData {
  const { credentialId: _id, kind: _kind, expiresAt: _end, limits, ...shared } = grant
  if (limits?.node === undefined && limits?.project === undefined) return shared
  const { credential: _own, ...ofNode } = limits
  return { ...shared, limits: ofNode }
}

// Records that were loaded together share common objects, so comparing references is sufficient.
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
