import type { Grant } from '../grants/grant.ts'
import type { Change, Identity } from './upstream-identity.ts'

/** What a call of a method of a node has shown. */
export interface NodeMethodFinding {
  readonly method: string
  readonly transport: 'http' | 'websocket'
  readonly available: boolean
  /** Whether the node does not have the method at all, so that it need not be asked. */
  readonly withheld: boolean
  /** Code of the error that was answered; null for a result. */
  readonly code: number | null
  readonly note: string
  /** Null when the method was not called but is known from others. */
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
   * @param maxAgeMinutes - a node is due when its methods were never called, or last longer ago than this
   * @param nodeId - to read only this one
   */
  nodes(
    maxAgeMinutes: number,
    nodeId?: string,
  ): Promise<readonly (NodeToProbe & { readonly isDue: boolean })[]>
  /** Records findings in one transaction, unless the node is gone or has other upstreams by now. */
  record(node: NodeToProbe, findings: readonly NodeMethodFinding[]): Promise<void>
  /** Drops what is recorded of the methods of a node. */
  forget(nodeId: string): Promise<void>
}

/** Finds out which methods nodes of a protocol offer. */
export interface MethodProber {
  /** Field of the upstreams that are probed, by its name in records. */
  readonly recordName: string
  /** Reads what answers at each upstream of a node. */
  identify(grant: Grant, signal: AbortSignal): Promise<readonly Identity[]>
  /**
   * Calls every method of a node and records which ones it offers. What is found is dropped when an upstream changed
   * meanwhile, and looked for again.
   *
   * @param changeOf - compares what answers with what answered when this was called before
   * @param signal - ends the probe; nothing is recorded then
   */
  probe(
    node: NodeToProbe,
    store: MethodAvailabilityStore,
    changeOf: () => Promise<Change>,
    signal: AbortSignal,
  ): Promise<void>
}
