/** The credential of a client, with the project and the organization that it belongs to. */
export interface Tenant {
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
}

/** A client without a valid credential, by its IP address. */
export interface Visitor {
  readonly address: string
}

/** Returns a tenant that stands for all clients of an address, where only tenants are distinguished. */
export function tenantOfAddress(address: string): Tenant {
  const network = networkOf(address)
  return { organizationId: `address ${network}`, projectId: network, credentialId: network }
}

/** Who uses a resource. Undefined stands for the gateway itself, whose use is limited by the capacity only. */
export type Owner = Tenant | Visitor | undefined

/** What one owner, or a group of owners, uses of a resource. */
export interface Share {
  readonly used: number
}

/**
 * The limit that a use of a resource would exceed: the capacity of the `resource`, or the share of one group of owners.
 * It is then exceeded for all owners of the group.
 */
export type ExceededLimit = 'resource' | 'organization' | 'project' | 'credential'

/** The share of one credential, for repeated use without a look-up. */
export interface OpenShare extends Share {
  /**
   * Takes an amount.
   *
   * @returns the limit that it exceeds, and then nothing was taken
   */
  take(amount: number): ExceededLimit | undefined
  give(amount: number): void
  /** Must be called once. What is in use can still be given back afterwards. */
  close(): void
}

/** Options of {@link FairShares}. */
export interface FairSharesOptions {
  /** Size of the resource, in any unit. */
  readonly capacity: number
  /**
   * Amount that each organization, project and credential, and each address, may use although others use more. The
   * share of its group and the capacity limit it nevertheless.
   */
  readonly alwaysGranted?: number | undefined
}

// All clients without a credential together use at most this part of the resource.
const maxOfVisitors = 0.25
// Reserved for organizations and visitors that use nothing yet.
const reservedForNewOwners = 0.125
// Part of what the others leave that one owner may use.
const maxOfRest = 0.5
// While all owners together use at most this part of the resource, none exceeds its share.
const uncontended = 1 / 16

/**
 * Divides a resource among organizations, then among the projects of each one, then among their credentials. Clients
 * without a credential share a quarter of it by address; each address uses at most half of what the others leave.
 *
 * An owner that is alone may use all but an eighth of the resource. As soon as others use it, each owner may use at most
 * half of what the others leave: one owner half of it, two a third each, and so on. The rest stays free for new owners.
 * Nothing is taken from an owner, but one above its share gets nothing more until it is below.
 */
export class FairShares {
  readonly #alwaysGranted: number
  readonly #root: ShareNode
  #unused: ShareNode | undefined

  constructor({ capacity, alwaysGranted = 0 }: FairSharesOptions) {
    this.#root = new ShareNode('', undefined, capacity)
    this.#alwaysGranted = alwaysGranted
  }

  get capacity(): number {
    return this.#root.limit
  }

  /** Changes the capacity. Amounts in use stay in use. */
  set capacity(capacity: number) {
    this.#root.limit = capacity
  }

  /** Amount that all owners use together. */
  get used(): number {
    return this.#root.used
  }

  /** Whether {@link take} would succeed. */
  canTake(owner: Owner, amount: number): boolean {
    return this.exceeded(owner, amount) === undefined
  }

  /** The limit that an owner would exceed by taking an amount; undefined when the owner may take it. */
  exceeded(owner: Owner, amount: number): ExceededLimit | undefined {
    const root = this.#root
    if (this.#isUncontended(amount)) return undefined
    if (owner === undefined) return root.used + amount > root.limit ? 'resource' : undefined
    if ('address' in owner) {
      const group = root.child(visitors)
      return this.#exceededByVisitor(group, group?.child(networkOf(owner.address)), amount)
    }
    const organization = root.child(owner.organizationId)
    const project = organization?.child(owner.projectId)
    return this.#exceeded(organization, project, project?.child(owner.credentialId), amount)
  }

  /** Amount that the organization of an owner uses. */
  usedByOrganization({ organizationId }: Tenant): number {
    return this.#root.child(organizationId)?.used ?? 0
  }

  /**
   * Takes an amount for an owner.
   *
   * @returns the share to {@link give} it back to; undefined when the amount exceeds what the owner may use
   */
  take(owner: Owner, amount: number): Share | undefined {
    if (!this.canTake(owner, amount)) return undefined
    const leaf = this.#leafOf(owner)
    leaf.add(amount)
    return leaf
  }

  /** Gives an amount back that was taken. */
  give(share: Share, amount: number): void {
    const node = share as ShareNode
    node.remove(amount)
    if (node.used === 0 && node !== this.#root) this.#retain(node)
  }

  /** Opens the share of a credential. */
  open(tenant: Tenant): OpenShare {
    const root = this.#root
    const leaf = this.#leafOf(tenant)
    const project = leaf.parent as ShareNode
    const organization = project.parent as ShareNode
    leaf.openCount += 1
    return {
      get used() {
        return leaf.used
      },
      take: (amount) => {
        if (!this.#isUncontended(amount)) {
          const exceeded = this.#exceeded(organization, project, leaf, amount)
          if (exceeded !== undefined) return exceeded
        }
        leaf.used += amount
        project.used += amount
        organization.used += amount
        root.used += amount
        return undefined
      },
      give: (amount) => {
        leaf.used -= amount
        project.used -= amount
        organization.used -= amount
        root.used -= amount
        if (leaf.openCount === 0) leaf.removeUnused()
      },
      close: () => {
        leaf.openCount -= 1
        leaf.removeUnused()
      },
    }
  }

  #isUncontended(amount: number): boolean {
    const root = this.#root
    return root.used + amount <= root.limit * uncontended
  }

  #exceeded(
    organization: ShareNode | undefined,
    project: ShareNode | undefined,
    credential: ShareNode | undefined,
    amount: number,
  ): ExceededLimit | undefined {
    const root = this.#root
    if (root.used + amount > root.limit) return 'resource'
    let reach = this.#reachOfGroup(organization, amount)
    if (usedBy(organization) + amount > reach) return 'organization'
    reach = this.#reachOf(organization, project, reach)
    if (usedBy(project) + amount > reach) return 'project'
    reach = this.#reachOf(project, credential, reach)
    return usedBy(credential) + amount > reach ? 'credential' : undefined
  }

  #exceededByVisitor(
    group: ShareNode | undefined,
    network: ShareNode | undefined,
    amount: number,
  ): ExceededLimit | undefined {
    const root = this.#root
    if (root.used + amount > root.limit) return 'resource'
    const max = Math.max(root.limit * maxOfVisitors, this.#alwaysGranted)
    const reach = Math.min(this.#reachOfGroup(group, amount), max)
    if (usedBy(group) + amount > reach) return 'organization'
    // Also one that is alone leaves half to new addresses: anybody has an address.
    const rest = reach - usedBy(group) + usedBy(network)
    return usedBy(network) + amount > Math.max(rest * maxOfRest, this.#alwaysGranted)
      ? 'credential'
      : undefined
  }

  /** What an organization, or the group of all visitors, may use at most. */
  #reachOfGroup(group: ShareNode | undefined, amount: number): number {
    const root = this.#root
    const used = usedBy(group)
    const reserved = used === 0 ? 0 : root.limit * reservedForNewOwners
    const isInReserve = root.used + amount > root.limit - reserved
    return isInReserve ? this.#alwaysGranted : this.#reachOf(root, group, root.limit)
  }

  /** What a child may use at most, given what its parent may use at most. */
  #reachOf(parent: ShareNode | undefined, child: ShareNode | undefined, reachOfParent: number): number {
    const usedByOthers = usedBy(parent) - usedBy(child)
    if (usedByOthers <= 0) return reachOfParent
    const share = (reachOfParent - usedByOthers) * maxOfRest
    return share > this.#alwaysGranted ? share : this.#alwaysGranted
  }

  /** Retains the share that was used last, so that an owner that is alone does not create it again for each use. */
  #retain(unused: ShareNode): void {
    const former = this.#unused
    if (former === unused) return
    this.#unused = unused
    former?.removeUnused()
  }

  #leafOf(owner: Owner): ShareNode {
    const root = this.#root
    if (owner === undefined) return root
    if ('address' in owner) return root.open(visitors).open(networkOf(owner.address))
    return root.open(owner.organizationId).open(owner.projectId).open(owner.credentialId)
  }
}

// No id of an organization is empty.
const visitors = ''

function usedBy(share: ShareNode | undefined): number {
  return share === undefined ? 0 : share.used
}

/** The /64 network of an IPv6 address, which one host can use as a whole; an IPv4 address itself. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? []
  const leading = head === '' ? [] : head.split(':')
  const trailing = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - leading.length - trailing.length)
  const groups = [...leading, ...Array.from({ length: missing }, () => '0'), ...trailing]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

class ShareNode implements Share {
  used = 0
  /** The capacity; of the root only. */
  limit: number
  /** Number of objects that refer to the node while it is unused. */
  openCount = 0
  readonly parent: ShareNode | undefined
  readonly #key: string
  #children: Map<string, ShareNode> | undefined

  constructor(key: string, parent: ShareNode | undefined, limit = Infinity) {
    this.#key = key
    this.parent = parent
    this.limit = limit
  }

  child(key: string): ShareNode | undefined {
    return this.#children?.get(key)
  }

  /** Returns the child with this key, which is created when it does not exist. */
  open(key: string): ShareNode {
    this.#children ??= new Map()
    let child = this.#children.get(key)
    if (!child) {
      child = new ShareNode(key, this)
      this.#children.set(key, child)
    }
    return child
  }

  add(amount: number): void {
    this.used += amount
    this.parent?.add(amount)
  }

  remove(amount: number): void {
    this.used -= amount
    this.parent?.remove(amount)
  }

  /** Removes the node, and each parent whose last child it was, unless something uses or refers to it. */
  removeUnused(): void {
    const { parent } = this
    if (parent === undefined || this.used !== 0 || this.openCount > 0) return
    if (this.#children !== undefined && this.#children.size > 0) return
    parent.#children?.delete(this.#key)
    parent.removeUnused()
  }
}
