import type { Grant } from '../grants/grant.ts'
import type { Change, Identity } from './upstream-identity.ts'

/** The result of calling a method of a node. */
export interface NodeMethodFinding {
  readonly method: string
  readonly transport: 'http' | 'websocket'
  readonly available: boolean
  /** Whether the upstream does not implement the method at all, so that it does not have to be called. */
  readonly withheld: boolean
  /** Error code of the response; null for a result. */
  readonly code: number | null
  readonly note: string
  /** Null when the method was not called and the result was inferred from others. */
  readonly latencyMs: number | null
}

/** A node whose methods can be called. */
export type NodeToProbe = Pick<
  Grant,
  'nodeId' | 'projectId' | 'organizationId' | 'chain' | 'network' | 'protocols' | 'upstreams'
>

/** Stores which methods nodes offer. */
export interface MethodAvailabilityStore {
  /**
   * Reads the nodes that can be probed.
   *
   * @param maxAgeMinutes - a node is due when its methods were never called, or when the last call is older than this
   * @param nodeId - to read only this node
   */
  nodes(
    maxAgeMinutes: number,
    nodeId?: string,
  ): Promise<readonly (NodeToProbe & { readonly isDue: boolean })[]>
  /** Records findings in one transaction, unless the node was deleted or has other upstreams by now. */
  record(node: NodeToProbe, findings: readonly NodeMethodFinding[]): Promise<void>
  /** Deletes the recorded findings of a node. */
  delete(nodeId: string): Promise<void>
}

/** Determines which methods the nodes of a protocol offer. */
export interface MethodProber {
  /** Field of the upstreams that are probed, by its name in records. */
  readonly recordName: string
  /** Reads the identity of each upstream of a node. */
  identify(grant: Grant, signal: AbortSignal): Promise<readonly Identity[]>
  /**
   * Calls every method of a node and records which ones it offers. When an upstream changes during the probe, the
   * findings are discarded and the probe is repeated.
   *
   * @param changeOf - compares the current identities with those of its previous call
   * @param signal - ends the probe; nothing is recorded then
   */
  probe(
    node: NodeToProbe,
    store: MethodAvailabilityStore,
    changeOf: () => Promise<Change>,
    signal: AbortSignal,
  ): Promise<void>
}
