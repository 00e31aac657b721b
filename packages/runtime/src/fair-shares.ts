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

/** Who uses a resource. Undefined stands for the gateway itself, whose use is limited by the capacity only. */
export type Owner = Tenant | Visitor | undefined

/** What one owner, or a group of owners, uses of a resource. */
export interface Share {
  readonly used: number
}

/** Options of {@link FairShares}. */
export interface FairSharesOptions {
  /** Size of the resource, in any unit. */
  readonly capacity: number
  /** Amount that each credential and each address may use, whatever others use, while the resource lasts. */
  readonly alwaysGranted?: number | undefined
}

// All clients without a credential together use at most this part of the resource.
const maxOfVisitors = 0.25
// Reserved for organizations and visitors that use nothing yet.
const reservedForNewOwners = 0.125
// Part of what the others leave that one owner may use.
const maxOfRest = 0.5

/**
 * Divides a resource among organizations, then among the projects of each one, then among their credentials. Clients
 * without a credential share a quarter of it by address.
 *
 * An owner that is alone may use all but an eighth of the resource. As soon as others use it, each owner may use at most
 * half of what the others leave: one owner half of it, two a third each, and so on. The rest stays free for new owners.
 * Nothing is taken from an owner, but one above its share gets nothing more until it is below.
 */
export class FairShares {
  readonly #alwaysGranted: number
  readonly #root: ShareNode

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
    const root = this.#root
    if (root.used + amount > root.limit) return false
    if (owner === undefined) return true
    const isVisitor = 'address' in owner
    const group = root.child(isVisitor ? visitors : owner.organizationId)
    const middle = group?.child(isVisitor ? networkOf(owner.address) : owner.projectId)
    const leaf = isVisitor ? middle : middle?.child(owner.credentialId)
    if ((leaf?.used ?? 0) + amount <= this.#alwaysGranted) return true
    const isNew = (isVisitor ? middle : group) === undefined
    const reserved = isNew ? 0 : root.limit * reservedForNewOwners
    if (root.used + amount > root.limit - reserved) return false
    let reach = reachOf(root, group, root.limit)
    if (isVisitor) reach = Math.min(reach, root.limit * maxOfVisitors)
    if (exceeds(group, amount, reach)) return false
    reach = reachOf(group, middle, reach)
    if (exceeds(middle, amount, reach)) return false
    return isVisitor || !exceeds(leaf, amount, reachOf(middle, leaf, reach))
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
    ;(share as ShareNode).remove(amount)
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

/** What a child may use at most, given what its parent may use at most. */
function reachOf(parent: ShareNode | undefined, child: ShareNode | undefined, reachOfParent: number): number {
  const usedByOthers = (parent?.used ?? 0) - (child?.used ?? 0)
  return usedByOthers > 0 ? (reachOfParent - usedByOthers) * maxOfRest : reachOfParent
}

function exceeds(share: ShareNode | undefined, amount: number, reach: number): boolean {
  return (share?.used ?? 0) + amount > reach
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
  readonly #key: string
  readonly #parent: ShareNode | undefined
  #children: Map<string, ShareNode> | undefined

  constructor(key: string, parent: ShareNode | undefined, limit = Infinity) {
    this.#key = key
    this.#parent = parent
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
    this.#parent?.add(amount)
  }

  remove(amount: number): void {
    this.used -= amount
    this.#parent?.remove(amount)
    // Every amount in use belongs to a child, or to the gateway itself at the root.
    if (this.used === 0) this.#parent?.close(this.#key)
  }

  close(key: string): void {
    this.#children?.delete(key)
  }
}
