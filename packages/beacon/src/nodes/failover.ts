import {
  FairleadError,
  type HttpOptions,
  isRetryableStatus,
  newHealth,
  type NodeHealth,
  recordFailure,
  requireNumber,
  sendWithFailover,
} from '@fairlead/core'
import {
  type BeaconNodeOptions,
  bodyOf,
  createNode,
  type Node,
  pathOf,
  requestTo,
  sendWhole,
} from './node.ts'
import type { BeaconTransport } from './transport.ts'

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
  const policy = { nodes: createNodes(nodes, options), timeoutMs, retries, isFailure, mayDifferElsewhere }
  return {
    async fetch(request, attempt = sendWhole) {
      const { method, signal } = request
      const isRepeatable = isRead(method, pathOf(request))
      const body = await bodyOf(request)
      return sendWithFailover(policy, {
        signal,
        isRepeatable,
        send: (node) => attempt(node, requestTo(node, request, body)),
      })
    },
  }
}

function mayDifferElsewhere(status: number | undefined): boolean {
  return status === undefined || isRetryableStatus(status) || status >= 500
}

// A node that does not offer an operation is well.
function isFailure(status: number | undefined): boolean {
  return status !== 501 && mayDifferElsewhere(status)
}

// Each attempt is one of the failover, so the nodes themselves send nothing again.
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

// The POST operations among them have a list of validators in the body that is too long for a URL. Whether an operation
// reads is not in the specification's data, and the routes would make the client ten times as large.
const reading = /^(GET|HEAD) |^POST \/eth\/v\d+\/(beacon\/(states|rewards)|validator\/(duties|liveness))\//

/** Tells whether a request changes nothing, so that it may be sent any number of times. */
function isRead(method: string, path: string): boolean {
  return reading.test(`${method} ${path}`)
}
