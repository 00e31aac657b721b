import type { Method } from '@fairlead/core'
import type { Logger } from 'pino'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { methodsOfChain } from '../methods/chain-methods.ts'
import type {
  MethodAvailabilityStore,
  NodeMethodFinding,
  NodeToProbe,
} from '@fairlead/gateway-core/protocol/method-availability'
import { type MethodFinding, ProbeFailure, probeMethods } from './probe-methods.ts'
import { createInProcessCaller } from './in-process-caller.ts'
import type { Change } from '@fairlead/gateway-core/protocol/upstream-identity'

/** What a probe works with. */
interface ProbeParts {
  readonly store: MethodAvailabilityStore
  readonly upstreams: EvmUpstreams
  readonly log: Logger
  /** Longest wait for one answer. */
  readonly timeoutMs: number
}

const concurrency = 2
// Several clients behind one address look like changes until they are known.
const mostTries = 5

/**
 * Calls every method of a node and records which ones it offers. What is found is dropped when an upstream changed
 * meanwhile, and looked for again.
 *
 * @param node - the node
 * @param parts - where its upstreams are and where the records are
 * @param changeOf - compares what answers with what answered when this was called before
 * @param signal - ends the probe; nothing is recorded then
 */
export async function probeNode(
  node: NodeToProbe,
  parts: ProbeParts,
  changeOf: () => Promise<Change>,
  signal: AbortSignal,
): Promise<void> {
  const { store, log } = parts
  const { nodeId } = node
  try {
    await changeOf()
    for (let tries = 1; tries <= mostTries; tries++) {
      const { findings, records } = await find(node, parts, signal)
      if ((await changeOf()) !== 'same') {
        log.info({ node_id: nodeId }, 'node changed while its methods were probed')
        continue
      }
      await store.record(node, records)
      const count = (outcome: string) => findings.filter((finding) => finding.outcome === outcome).length
      const [available, missing] = [count('available'), count('missing')]
      const facts = { available, missing, refused: count('refused'), failed: count('failed') }
      log.info({ node_id: nodeId, ...facts }, 'node methods probed')
      return
    }
    log.warn({ node_id: nodeId, reason: 'It keeps changing.' }, 'node methods could not be probed')
  } catch (error) {
    if (signal.aborted) return
    const reason = error instanceof ProbeFailure ? { reason: error.message } : { err: error }
    log.warn({ node_id: nodeId, ...reason }, 'node methods could not be probed')
  }
}

interface Found {
  readonly findings: readonly MethodFinding[]
  readonly records: readonly NodeMethodFinding[]
}

async function find(
  node: NodeToProbe,
  { upstreams, log, timeoutMs }: ProbeParts,
  signal: AbortSignal,
): Promise<Found> {
  // Nothing is withheld from the probe, or a method could never come back.
  const grant = { ...node, credentialId: 'probe', kind: 'token' } as const
  const { path, methods } = methodsOfChain(node.chain)
  const endpoint = path === 'evm' ? 'evm' : ''
  const upstream = upstreams.of(grant, 'evm')
  const http = createInProcessCaller({ grant, endpoint, upstream, log }, timeoutMs)
  const { findings } = await probeMethods({ callers: { http }, methods, repeat: 1, concurrency, signal })
  const known = findings.flatMap((finding) => recordable(finding, methods))
  return { findings, records: [...known, ...subscriptions(findings, methods)] }
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
