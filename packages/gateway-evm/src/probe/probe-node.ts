import type { Method } from '@fairlead/core'
import type { Logger } from 'pino'
import type { EvmUpstreams } from '../upstream/evm-upstreams.ts'
import { methodsOfChain } from '../methods/chain-methods.ts'
import type {
  MethodAvailabilityStore,
  NodeMethodFinding,
  NodeToProbe,
} from '@fairlead/gateway-core/protocol/method-availability'
import { gatewayGrant } from '@fairlead/gateway-core/grants/grant'
import { type MethodFinding, ProbeFailure, probeMethods } from './probe-methods.ts'
import { createInProcessCaller } from './in-process-caller.ts'
import type { Change } from '@fairlead/gateway-core/protocol/upstream-identity'

/** Dependencies of a probe. */
interface ProbeContext {
  readonly store: MethodAvailabilityStore
  readonly upstreams: EvmUpstreams
  readonly log: Logger
  /** Timeout for one response. */
  readonly timeoutMs: number
}

const concurrency = 2
// Several execution clients behind one URL look like changes until all of them are known.
const maxAttempts = 5

/**
 * Calls every method of a node and records which ones it offers. If an upstream changes meanwhile, the results are
 * discarded and the probe is repeated.
 *
 * @param node - the node
 * @param context - its upstreams, and the store for the records
 * @param changeOf - compares the responding upstreams with those of the previous call
 * @param signal - aborts the probe; nothing is recorded then
 */
export async function probeNode(
  node: NodeToProbe,
  context: ProbeContext,
  changeOf: () => Promise<Change>,
  signal: AbortSignal,
): Promise<void> {
  const { store, log } = context
  const { nodeId } = node
  try {
    await changeOf()
    for (let attempts = 1; attempts <= maxAttempts; attempts++) {
      const { findings, records } = await find(node, context, signal)
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
    log.warn({ node_id: nodeId, reason: 'It changes too often.' }, 'node methods could not be probed')
  } catch (error) {
    if (signal.aborted) return
    const reason = error instanceof ProbeFailure ? { reason: error.message } : { err: error }
    log.warn({ node_id: nodeId, ...reason }, 'node methods could not be probed')
  }
}

interface ProbeFindings {
  readonly findings: readonly MethodFinding[]
  readonly records: readonly NodeMethodFinding[]
}

async function find(
  node: NodeToProbe,
  { upstreams, log, timeoutMs }: ProbeContext,
  signal: AbortSignal,
): Promise<ProbeFindings> {
  // No method is withheld from the probe. Otherwise a withheld method could never become available again.
  const grant = gatewayGrant(node)
  const { path, methods } = methodsOfChain(node.chain)
  const endpoint = path === 'evm' ? 'evm' : ''
  const upstream = upstreams.forCall(grant)
  const http = createInProcessCaller({ grant, endpoint, upstream, log }, timeoutMs)
  const { findings } = await probeMethods({ callers: { http }, methods, repeat: 1, concurrency, signal })
  const known = findings.flatMap((finding) => recordable(finding, methods))
  return { findings, records: [...known, ...subscriptions(findings, methods)] }
}

// Calls over a WebSocket and over HTTP are forwarded in the same way, so one result applies to both.
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
    // The records store 32-bit codes. No standard code needs more.
    code: code !== undefined && code === (code | 0) ? code : null,
    note,
    latencyMs: latencyMs ?? null,
  }))
}

// The gateway implements subscriptions itself, from the upstream's blocks.
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
