import { createLruCache } from '@fairlead/runtime'
import type { Grant } from '../grants/grant.ts'

/** A resource that nodes with the same configuration share. */
export interface NodeResource {
  close(): void
}

/** How {@link NodeResources} obtains the resource of a node. */
export interface ResourceFactory<resource> {
  /**
   * Creates the resource when no node has it yet; an error that it throws is passed on.
   *
   * @param text - the configuration
   * @param previous - resource that the node had before, possibly with other nodes
   */
  open(text: string, previous?: resource): resource
  /**
   * Applies the new configuration to the resource of a node that no other node has used.
   *
   * @returns false when the node needs another resource; nothing has changed then
   */
  change(resource: resource, text: string): boolean
}

/** Whether a grant is not the current one of its credential, for example after a change or a revocation. */
export type IsStale = (grant: Grant) => boolean

interface SharedResource<resource> {
  /** The configuration. */
  text: string
  readonly resource: resource
  readonly nodes: Set<string>
  /** Whether several nodes have had it. Calls and connections of a node that has it no longer may still use it. */
  wasShared: boolean
}

// Deleted nodes are not reported, so the number is limited.
const maxNodes = 20_000
// Clients of a node soon use its new configuration.
const maxUnapplied = 1_000

/**
 * Resources of nodes, for example pools. Nodes with the same configuration share one. When the configuration of a node
 * changes, its resource changes in place where that is possible, but never one that several nodes have had. A resource
 * that no node uses any longer is dropped.
 */
export class NodeResources<resource extends NodeResource> {
  // The least recently used node loses its resource.
  readonly #byNode = createLruCache<SharedResource<resource>>({
    maxEntries: maxNodes,
    dispose: (shared, nodeId) => this.#release(shared, nodeId),
  })
  readonly #byText = new Map<string, SharedResource<resource>>()
  readonly #all = new Set<SharedResource<resource>>()
  /** For grants of the gateway, by node: configurations that no client of the node uses yet. */
  readonly #unapplied = createLruCache<Pick<SharedResource<resource>, 'text' | 'resource'>>({
    maxEntries: maxUnapplied,
  })
  readonly #isStale: IsStale

  /** @param isStale - by default, no grant is stale */
  constructor(isStale: IsStale = () => false) {
    this.#isStale = isStale
  }

  /**
   * Returns the resource of a node. A stale grant, for example of a call that began before a change, gets the resource
   * that the node has now. A grant of the gateway gets a resource with its own configuration, and never changes that of
   * the clients.
   *
   * @param text - the configuration, according to the grant
   */
  of(grant: Grant, text: string, factory: ResourceFactory<resource>): resource {
    const { nodeId } = grant
    const previous = this.#byNode.get(nodeId)
    if (previous?.text === text) return previous.resource
    if (previous && grant.isOfGateway)
      return this.#unappliedOf(nodeId, text, () => factory.open(text, previous.resource))
    if (previous && this.#isStale(grant)) return previous.resource
    this.#unapplied.delete(nodeId)
    const existing = this.#byText.get(text)
    if (!existing && previous?.wasShared === false && factory.change(previous.resource, text)) {
      // It has served another configuration, whose results further nodes must not receive.
      this.#hide(previous)
      previous.text = text
      return previous.resource
    }
    const shared = existing ?? {
      text,
      resource: factory.open(text, previous?.resource),
      nodes: new Set<string>(),
      wasShared: false,
    }
    shared.nodes.add(nodeId)
    if (shared.nodes.size > 1) shared.wasShared = true
    this.#byText.set(text, shared)
    this.#all.add(shared)
    this.#byNode.set(nodeId, shared)
    return shared.resource
  }

  /** Every resource with the ids of its nodes. */
  *entries(): Iterable<readonly [resource: resource, nodes: readonly string[]]> {
    for (const { resource, nodes } of this.#all) yield [resource, [...nodes]]
  }

  close(): void {
    for (const { resource } of [...this.#all, ...this.#unapplied.values()]) resource.close()
  }

  #unappliedOf(nodeId: string, text: string, open: () => resource): resource {
    const existing = this.#unapplied.get(nodeId)
    if (existing?.text === text) return existing.resource
    const resource = open()
    this.#unapplied.set(nodeId, { text, resource })
    return resource
  }

  #release(shared: SharedResource<resource>, nodeId: string): void {
    shared.nodes.delete(nodeId)
    if (shared.nodes.size > 0) return
    this.#all.delete(shared)
    this.#hide(shared)
  }

  #hide(shared: SharedResource<resource>): void {
    if (this.#byText.get(shared.text) === shared) this.#byText.delete(shared.text)
  }
}
