import type { Method } from '@fairlead/core'
import type { Logger } from 'pino'
import type { Upstreams } from '../access/forward/upstreams.ts'
import { methodsOfChain } from '../control/nodes/chain-methods.ts'
import {
  type NodeMethodFinding,
  type NodeToProbe,
  nodesToProbe,
  recordNodeMethods,
} from '../control/records/node-methods.ts'
import type { Store } from '../control/store/open-store.ts'
import { type MethodFinding, ProbeFailure, probeMethods } from './probe-methods.ts'
import { createStationCaller } from './station-caller.ts'

/** What the probe of the service's own nodes works with. */
export interface NodeProbeParts {
  readonly store: Store
  readonly upstreams: Upstreams
  readonly log: Logger
  /** Longest wait for one answer. */
  readonly timeoutMs: number
  /** Whether to probe at all. */
  readonly enabled: boolean
}

const maxAgeHours = 24
// Later than the start, which nothing is to slow down.
const firstDelayMs = 1_500
const intervalMs = 5 * 60_000
const concurrency = 2

/**
 * Finds out which methods the service's nodes offer, and records it: of every node that was never asked or not for a
 * day, and at the start of each embedded one, which may have become another version. A node that cannot be asked
 * keeps what was recorded before, and is asked again after a while.
 *
 * @returns ends it; resolves when nothing is under way any more
 */
export function probeOwnNodes(parts: NodeProbeParts): () => Promise<void> {
  if (!parts.enabled) return () => Promise.resolve()
  const ended = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let isFirst = true
  const round = async () => {
    try {
      const nodes = await nodesToProbe(parts.store.db, parts.store.sealer, {
        maxAgeHours,
        evenEmbedded: isFirst,
      })
      isFirst = false
      for (const node of nodes) {
        ended.signal.throwIfAborted()
        await probeNode(node, parts, ended.signal)
      }
    } catch (error) {
      if (!ended.signal.aborted) parts.log.error({ err: error }, 'nodes could not be probed')
    }
    if (!ended.signal.aborted) timer = later(intervalMs)
  }
  const later = (ms: number) =>
    setTimeout(() => {
      running = round()
    }, ms).unref()
  let timer = later(firstDelayMs)
  return async () => {
    ended.abort()
    clearTimeout(timer)
    await running
  }
}

async function probeNode(
  node: NodeToProbe,
  { store, upstreams, log, timeoutMs }: NodeProbeParts,
  signal: AbortSignal,
): Promise<void> {
  const { nodeId } = node
  // Nothing is withheld from the probe, or a method could never come back.
  const grant = { ...node, credentialId: 'probe', kind: 'token' } as const
  const { path, methods } = methodsOfChain(node.chain)
  const endpoint = path === 'evm' ? 'evm' : ''
  try {
    const upstream = upstreams.of(grant, 'evm')
    const http = createStationCaller({ grant, endpoint, upstream, log }, timeoutMs)
    const { findings } = await probeMethods({ callers: { http }, methods, repeat: 1, concurrency, signal })
    const known = findings.flatMap((finding) => recordable(finding, methods))
    await recordNodeMethods(store.db, store.sealer, node, [...known, ...subscriptions(findings, methods)])
    const count = (outcome: string) => findings.filter((finding) => finding.outcome === outcome).length
    log.info(
      {
        node_id: nodeId,
        available: count('available'),
        missing: count('missing'),
        refused: count('refused'),
        failed: count('failed'),
      },
      'node methods probed',
    )
  } catch (error) {
    if (signal.aborted) return
    const reason = error instanceof ProbeFailure ? { reason: error.message } : { err: error }
    log.warn({ node_id: nodeId, ...reason }, 'node methods could not be probed')
  }
}

// A call on a WebSocket takes the same way to the node as one over HTTP, so that one of them tells about both.
function recordable(
  { method, outcome, code, note, latencyMs }: MethodFinding,
  methods: readonly Method[],
): NodeMethodFinding[] {
  if (outcome === 'failed' || outcome === 'skipped') return []
  const { transports = ['http', 'websocket'] } = methods.find(({ name }) => name === method) ?? {}
  return transports.map((transport) => ({
    method,
    transport,
    available: outcome === 'available',
    withheld: outcome === 'missing',
    // The records hold 32 bits; no standard code has more.
    code: code !== undefined && code === (code | 0) ? code : null,
    note,
    latencyMs: latencyMs ?? null,
  }))
}

// The service makes subscriptions itself, out of the blocks that the node has.
function subscriptions(
  findings: readonly MethodFinding[],
  methods: readonly Method[],
): readonly NodeMethodFinding[] {
  const blocks = findings.find(({ method }) => method === 'eth_getBlockByNumber')
  if (blocks?.outcome !== 'available') return []
  return methods
    .filter(({ transports }) => transports && !transports.includes('http'))
    .map(({ name }) => ({
      method: name,
      transport: 'websocket',
      available: true,
      withheld: false,
      code: null,
      note: '',
      latencyMs: null,
    }))
}
