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
  sendBuffered,
} from './node.ts'
import type { BeaconTransport } from './transport.ts'

/**
 * Creates a transport that sends each request to the first healthy beacon node.
 *
 * A read request is sent to the next node when there is no response, or a response with status 408, 429 or 5xx. A
 * request that changes state is sent again only when the connection was never established. Any status about the request
 * itself (400, 404, 406, 415) is the final response. A node that failed is placed after the others for one second, and
 * twice as long with every further failure, for at most a minute or as long as it requested (`Retry-After`). After
 * that, one request probes whether it is healthy again. The transport sends no additional requests.
 *
 * @param nodes - URL and credential of each node, the preferred one first
 * @param options - `fetch`, `timeoutMs` (of one attempt, 30000) and `retries` (2): the maximum number of repeated
 *   attempts; each node is tried once in any case
 * @returns a transport for `createBeaconClient`
 * @throws FairleadError `CONFIG_INVALID` naming the option, `nodes[1].url` for example
 * @example
 * ```ts
 * const beacon = createBeaconClient({ transport: failover([{ url, auth }, { url: 'https://spare.example.com', auth }]) })
 * ```
 * @see RFC 9110, sections 9.2.2 and 10.2.3
 */
export function failover(nodes: readonly BeaconNodeOptions[], options: HttpOptions = {}): BeaconTransport {
  const { timeoutMs = 30_000, retries = 2 } = options
  requireNumber('retries', retries, 0)
  const policy = { nodes: createNodes(nodes, options), timeoutMs, retries, isFailure, mayDifferElsewhere }
  return {
    async fetch(request, attempt = sendBuffered) {
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

// A node that does not support an operation (501) is still healthy.
function isFailure(status: number | undefined): boolean {
  return status !== 501 && mayDifferElsewhere(status)
}

// The failover repeats attempts itself, so the transport of one node does not retry.
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
      if (!FairleadError.is(error, 'CONFIG_INVALID') || error.details.option === 'timeoutMs') throw error
      throw invalid(`nodes[${index}].${error.details.option}`, error.details.rule)
    }
  })
  const secrets = created.flatMap((node) => node.secrets)
  return created.map((node) => {
    const health = newHealth()
    return { ...node, secrets, health, onBroken: () => recordFailure(health) }
  })
}

// The POST operations in this expression are reads: their body is a list of validators that is too long for a URL. The
// data of the specification does not state whether an operation reads, and the routes would make the client ten times
// as large.
const readOperations =
  /^(GET|HEAD) |^POST \/eth\/v\d+\/(beacon\/(states|rewards)|validator\/(duties|liveness))\//

/** Returns whether a request changes no state, so that it can be sent any number of times. */
function isRead(method: string, path: string): boolean {
  return readOperations.test(`${method} ${path}`)
}
