import {
  bestOf,
  FairleadError,
  hasNeverConnected,
  type HttpOptions,
  isRetryableStatus,
  newHealth,
  type NodeHealth,
  recordFailure,
  recordSuccess,
  recordTry,
  requireNumber,
  pause,
} from '@fairlead/core'
import { backoffMs } from '../backoff.ts'
import {
  type BeaconNodeOptions,
  bodyOf,
  createNode,
  type Node,
  pathOf,
  requestTo,
  sendWhole,
} from './node.ts'
import { isRead } from './sendable-again.ts'
import type { BeaconTransport } from './transport.ts'

// A node may ask for a pause; one beyond this is not waited out but handed to the caller as the answer it is.
const longestPauseMs = 60_000

/**
 * Makes a transport to several nodes: each call goes to the first one that is well.
 *
 * A call that only reads goes on to the next node after no answer, or one of status 408, 429 or 5xx; a call that acts, only
 * when it certainly never arrived. Whatever a node says about the call itself (400, 404, 406, 415) is the answer. A node that
 * failed comes after the others for a second, twice as long with every further failure, a minute at most or as long as it
 * asked for (`Retry-After`); then one call finds out whether it is well again. Nothing is sent but the calls.
 *
 * @param nodes - address and credential of each, the preferred one first
 * @param options - `fetch`, `timeoutMs` (of one attempt, 30000) and `retries` (2): how often a call is sent again at most,
 *   though each node is asked once in any case
 * @returns a transport for `createBeaconClient`
 * @throws FairleadError `CONFIG_INVALID` naming the option, `nodes[1].url` for example
 * @example
 * ```ts
 * const beacon = createBeaconClient({ transport: failover([{ url, auth }, { url: 'https://spare.example.com', auth }]) })
 * ```
 */
export function failover(nodes: readonly BeaconNodeOptions[], options: HttpOptions = {}): BeaconTransport {
  const { timeoutMs = 30_000, retries = 2 } = options
  requireNumber('retries', retries, 0)
  const all = createNodes(nodes, options)
  return {
    async fetch(request, attempt = sendWhole) {
      const { method, signal } = request
      const isReading = isRead(method, pathOf(request))
      const body = await bodyOf(request)
      let left = all

      for (let count = 1; ; count++) {
        const node = bestOf(left)
        left = left.filter((other) => other !== node)
        recordTry(node.health, timeoutMs)
        const answer = await attempt(node, requestTo(node, request, body)).catch((error: unknown) => {
          if (!signal.aborted && isLost(error)) return error
          throw error
        })
        const hasNone = answer instanceof Error
        const status = hasNone ? undefined : answer.status
        const askedMs = hasNone ? undefined : askedPauseMs(answer)
        const mayPass = status === undefined || isRetryableStatus(status)
        const isOfNode = mayPass || status >= 500
        // A node that does not offer an operation is well.
        if (isOfNode && status !== 501) recordFailure(node.health, askedMs)
        else recordSuccess(node.health)

        const hasOthers = left.length > 0
        const mayDoBetter = hasOthers
          ? isOfNode
          : count <= retries && mayPass && (askedMs ?? 0) <= longestPauseMs
        if (!mayDoBetter || !(isReading || hasNeverConnected(answer))) {
          if (!hasNone) return answer
          throw new FairleadError(answer.code, { ...answer.context, attempt: count })
        }
        if (hasOthers) continue
        left = all
        await pause(askedMs ?? backoffMs(count, 100, 5_000), signal)
      }
    },
  }
}

function isLost(error: unknown): error is FairleadError<'TRANSPORT_FAILED' | 'TRANSPORT_TIMEOUT'> {
  return FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')
}

// Each attempt is one of the loop above, so the nodes themselves send nothing again.
function createNodes(
  nodes: readonly BeaconNodeOptions[],
  options: HttpOptions,
): readonly (Node & { readonly health: NodeHealth })[] {
  const invalid = (option: string, rule: string) => new FairleadError('CONFIG_INVALID', { option, rule })
  if (!Array.isArray(nodes) || nodes.length === 0) throw invalid('nodes', 'must hold at least one')
  const { fetch, timeoutMs } = options
  const created = nodes.map((node, index) => {
    try {
      return createNode(node, { fetch, timeoutMs, retries: 0 })
    } catch (error) {
      if (!FairleadError.is(error, 'CONFIG_INVALID') || error.context.option === 'timeoutMs') throw error
      throw invalid(`nodes[${index}].${error.context.option}`, error.context.rule)
    }
  })
  const secrets = created.flatMap((node) => node.secrets)
  return created.map((node) => {
    const health = newHealth()
    return { ...node, secrets, health, onBroken: () => recordFailure(health) }
  })
}

// A number of seconds or a date (RFC 9110, section 10.2.3).
function askedPauseMs({ headers }: Response): number | undefined {
  const after = headers.get('retry-after')
  if (after === null) return undefined
  const askedMs = Number(after) * 1_000
  return Number.isNaN(askedMs) ? Date.parse(after) - Date.now() || undefined : askedMs
}
