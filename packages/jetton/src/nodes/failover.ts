import {
  createRestFetch,
  type HttpOptions,
  isRetryableStatus,
  longestMs,
  requireNumber,
  sendWithFailover,
} from '@fairlead/core'
import { withErrorMessage } from './error-body.ts'
import { createNodes, type JettonNodeOptions, type Node } from './node.ts'
import { operationOf } from './operation.ts'
import { type RateLimit, rateLimiter } from './rate-limit.ts'
import { isRead } from './read-operations.ts'
import type { JettonTransport } from './transport.ts'

/** Placeholder for the URL of the selected node. Code that builds or inspects a request sees no credential. */
const anyNode = 'http://node.invalid'

/** Options of {@link failover}. Times are in milliseconds. */
export interface FailoverOptions extends HttpOptions {
  /** Maximum request rate of all clients and nodes of the transport together. Default: unlimited. */
  readonly rateLimit?: RateLimit | undefined
}

/**
 * Creates a transport that sends each request to the first healthy node of one or several.
 *
 * A read request is sent to the next node when there is no response, or a response with status 408, 429 or 500 to 504.
 * A request that sends a message to the chain is sent again only when the connection was never established. Any status
 * about the request itself (400, 404, 422) is the final response. A node that failed is placed after the others for one
 * second, and twice as long with every further failure, for at most a minute or as long as it requested
 * (`Retry-After`). After that, one request probes whether it is healthy again.
 *
 * @param nodes - URL and credential of one node, or of each with the preferred one first
 * @param options - `fetch`, `timeoutMs` (of one attempt, 30000), `retries` (2): the maximum number of repeated
 *   attempts; each node is tried once in any case; `rateLimit`
 * @returns a transport for `createJettonV2Client` and `createJettonV3Client`, which may share it
 * @throws FairleadError `CONFIG_INVALID` naming the option: of one node `url`, of several `nodes[1].url` for example
 * @example
 * ```ts
 * const transport = failover([{ url, auth }], { rateLimit: { perSecond: 10 } })
 * const jetton = createJettonV3Client({ transport })
 * ```
 * @see RFC 9110, sections 9.2.2 and 10.2.3
 */
export function failover(
  nodes: JettonNodeOptions | readonly JettonNodeOptions[],
  { fetch, timeoutMs = 30_000, retries = 2, rateLimit }: FailoverOptions = {},
): JettonTransport {
  requireNumber('timeoutMs', timeoutMs, 0, longestMs)
  requireNumber('retries', retries, 0)
  const nodeList = createNodes(nodes)
  const acquire = rateLimit && rateLimiter(rateLimit)
  // The secrets of one node are removed from the errors of all nodes. The failover repeats attempts itself, and some
  // runtimes require whole milliseconds for the timeout.
  const secrets = nodeList.flatMap((node) => node.secrets)
  const attemptOptions = withErrorMessage({ fetch, timeoutMs: Math.ceil(timeoutMs), retries: 0 })
  const sendOnce = createRestFetch(attemptOptions, secrets)

  const policy = {
    nodes: nodeList,
    timeoutMs,
    retries,
    isFailure,
    mayDifferElsewhere,
    beforeAttempt: acquire,
  }
  const send = async (request: Request): Promise<Response> => {
    const body = await request.text()
    return sendWithFailover(policy, {
      signal: request.signal,
      isRepeatable: isRead(operationOf(request.url, body)),
      send: (node) => sendOnce(requestTo(node, request, body)),
    })
  }
  return { baseUrl: anyNode, headers: {}, send }
}

function requestTo(node: Node, { url, method, headers, signal }: Request, body: string): Request {
  return new Request(node.url + url.slice(anyNode.length), {
    method,
    headers: { ...Object.fromEntries(headers), ...node.headers },
    signal,
    ...(body && { body }),
  })
}

function isFailure(status: number | undefined): boolean {
  return status === undefined || isRetryableStatus(status)
}

// 500 means that the ledger of this node has no response, 501 that it does not support the operation: another node may.
function mayDifferElsewhere(status: number | undefined): boolean {
  return isFailure(status) || status === 500 || status === 501
}
