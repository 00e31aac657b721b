import type { ExceededLimit, Tenant } from './fair-shares.ts'
import { type Linked, LinkedRing } from './linked-ring.ts'
import { RehashingMap } from './rehashing-map.ts'

/**
 * Outcome of starting a queued item: `started`, or the limit that it would exceed. The other items of the same
 * credential, project or organization, or all of them, are then not tried.
 */
export type StartOutcome = 'started' | ExceededLimit

/** An item in a {@link FairQueue}. */
export interface QueuedItem {
  /** Removes the item. Has no effect when it is no longer queued. */
  remove(): void
}

/**
 * A queue that serves organizations in turn, then the projects of each one, then their credentials. Neither many items
 * nor many credentials or projects give an organization more turns. The items of a credential are served first in,
 * first out.
 */
export class FairQueue<item> {
  readonly #root = new QueueNode<item>('', undefined, 0)
  #rounds = 0

  get isEmpty(): boolean {
    return this.#root.size === 0
  }

  /** Number of queued items. */
  get size(): number {
    return this.#root.size
  }

  /** Whether a credential has queued items. Undefined stands for the gateway itself. */
  has(tenant: Tenant | undefined): boolean {
    if (this.#root.size === 0) return false
    if (tenant === undefined) return this.#root.child(ofGateway) !== undefined
    return this.#projectOf(tenant)?.child(tenant.credentialId) !== undefined
  }

  push(tenant: Tenant | undefined, item: item): QueuedItem {
    const organization = this.#root.open(tenant?.organizationId ?? ofGateway)
    const project = organization.open(tenant?.projectId ?? ofGateway)
    return new Entry(item, project.open(tenant?.credentialId ?? ofGateway))
  }

  /** All queued items. They must not be removed meanwhile. */
  [Symbol.iterator](): Iterator<item> {
    return this.#root.items()
  }

  /** Removes and returns the next item. */
  shift(): item | undefined {
    let next: { readonly item: item } | undefined
    this.serve((item) => {
      if (next) return 'resource'
      next = { item }
      return 'started'
    })
    return next?.item
  }

  /**
   * Starts as many items as possible, in turn.
   *
   * @param start - starts an item, or returns the limit that it would exceed; must not change the queue
   */
  serve(start: (item: item) => StartOutcome): void {
    this.#serve(this.#root, start)
  }

  /** Same as {@link serve}, for the items of one project only. */
  serveProject(tenant: Tenant, start: (item: item) => StartOutcome): void {
    this.#serve(this.#root.size === 0 ? undefined : this.#projectOf(tenant), start)
  }

  #serve(node: QueueNode<item> | undefined, start: (item: item) => StartOutcome): void {
    if (node === undefined || node.size === 0) return
    this.#rounds += 1
    while (node.size > 0 && node.serve(start, this.#rounds) === 'started');
  }

  #projectOf({ organizationId, projectId }: Tenant): QueueNode<item> | undefined {
    return this.#root.child(organizationId)?.child(projectId)
  }
}

// No id is empty.
const ofGateway = ''

/** Levels of the tree, from the root to the credentials. */
const levels: readonly ExceededLimit[] = ['resource', 'organization', 'project', 'credential']

/** The queued items of a credential, or of all credentials of a project or an organization. */
class QueueNode<item> implements Linked<QueueNode<item>> {
  next: QueueNode<item> | undefined = undefined
  previous: QueueNode<item> | undefined = undefined
  /** Number of items in this node and those below. */
  size = 0
  readonly #key: string
  readonly #parent: QueueNode<item> | undefined
  readonly #level: number
  readonly #entries = new LinkedRing<Entry<item>>()
  readonly #children = new LinkedRing<QueueNode<item>>()
  #childrenByKey: RehashingMap<string, QueueNode<item>> | undefined
  /** The latest round in which no item could be started. */
  #blockedIn = 0

  constructor(key: string, parent: QueueNode<item> | undefined, level: number) {
    this.#key = key
    this.#parent = parent
    this.#level = level
  }

  child(key: string): QueueNode<item> | undefined {
    return this.#childrenByKey?.get(key)
  }

  /** Returns the child with this key, which is created when it does not exist. */
  open(key: string): QueueNode<item> {
    this.#childrenByKey ??= new RehashingMap()
    const existing = this.#childrenByKey.get(key)
    if (existing) return existing
    const child = new QueueNode<item>(key, this, this.#level + 1)
    this.#childrenByKey.set(key, child)
    this.#children.append(child)
    return child
  }

  push(entry: Entry<item>): void {
    this.#entries.append(entry)
    this.#count(1)
  }

  remove(entry: Entry<item>): void {
    this.#entries.remove(entry)
    this.#count(-1)
  }

  /** Starts one item, whose node then comes last. */
  serve(start: (item: item) => StartOutcome, round: number): StartOutcome {
    const entry = this.#entries.first
    if (entry) {
      const outcome = start(entry.item)
      if (outcome === 'started') entry.remove()
      return outcome
    }
    let child = this.#children.first
    for (let left = this.#childrenByKey?.size ?? 0; child && left > 0; left -= 1) {
      const { next }: QueueNode<item> = child
      if (child.#blockedIn !== round) {
        const outcome = child.serve(start, round)
        if (outcome === 'started') {
          if (child.size > 0) this.#children.moveToEnd(child)
          return outcome
        }
        if (levels.indexOf(outcome) <= this.#level) return outcome
        child.#blockedIn = round
      }
      child = next
    }
    return levels[this.#level] ?? 'resource'
  }

  *items(): Generator<item, undefined> {
    for (const { item } of this.#entries) yield item
    for (const child of this.#children) yield* child.items()
    return undefined
  }

  #count(by: number): void {
    this.size += by
    const parent = this.#parent
    if (parent === undefined) return
    parent.#count(by)
    if (this.size > 0) return
    parent.#children.remove(this)
    parent.#childrenByKey?.delete(this.#key)
  }
}

class Entry<item> implements QueuedItem, Linked<Entry<item>> {
  next: Entry<item> | undefined = undefined
  previous: Entry<item> | undefined = undefined
  readonly item: item
  readonly #node: QueueNode<item>
  #isQueued = true

  constructor(item: item, node: QueueNode<item>) {
    this.item = item
    this.#node = node
    node.push(this)
  }

  remove(): void {
    if (!this.#isQueued) return
    this.#isQueued = false
    this.#node.remove(this)
  }
}
