import {
  createRestFetch,
  type HttpOptions,
  isRetryableStatus,
  longestMs,
  requireNumber,
  sendWithFailover,
} from '@fairlead/core'
import { withErrorWords } from './error-body.ts'
import { createNodes, type JettonNodeOptions, type Node } from './node.ts'
import { operationOf } from './operation.ts'
import { type RateLimit, rateLimiter } from './rate-limit.ts'
import { isRead } from './sendable-again.ts'
import type { JettonTransport } from './transport.ts'

/** Stands for the address of whichever node is asked: what builds or looks at a request sees no credential. */
const anyNode = 'http://node.invalid'

export interface FailoverOptions extends HttpOptions {
  /** How often requests go out at most, all clients and nodes of the transport together. No limit by default. */
  readonly rateLimit?: RateLimit | undefined
}

/**
 * Makes a transport to several nodes, or to one: each call goes to the first one that is well.
 *
 * A call that only reads goes on to the next node after no answer, or one of status 408, 429, 500 to 504; one that hands a
 * message to the chain, only when it certainly never arrived. Whatever a node says about the call itself (400, 404, 422) is
 * the answer. A node that failed comes after the others for a second, twice as long with every further failure, a minute at
 * most or as long as it asked for (`Retry-After`); then one call finds out whether it is well again.
 *
 * @param nodes - address and credential of one, or of each with the preferred one first
 * @param options - `fetch`, `timeoutMs` (of one attempt, 30000), `retries` (2): how often a call is sent again at most,
 *   though each node is asked once in any case; `rateLimit`
 * @returns a transport for `createJettonV2Client` and `createJettonV3Client`, which may share it
 * @throws FairleadError `CONFIG_INVALID` naming the option: of one node `url`, of several `nodes[1].url` for example
 * @example
 * ```ts
 * const transport = failover([{ url, auth }], { rateLimit: { perSecond: 10 } })
 * const jetton = createJettonV3Client({ transport })
 * ```
 */
export function failover(
  nodes: JettonNodeOptions | readonly JettonNodeOptions[],
  { fetch, timeoutMs = 30_000, retries = 2, rateLimit }: FailoverOptions = {},
): JettonTransport {
  requireNumber('timeoutMs', timeoutMs, 0, longestMs)
  requireNumber('retries', retries, 0)
  const all = createNodes(nodes)
  const turn = rateLimit && rateLimiter(rateLimit)
  // What must not be shown of one node is not shown in the errors of another either. Each attempt is one of the failover,
  // and its limit must be whole milliseconds in some runtimes.
  const secrets = all.flatMap((node) => node.secrets)
  const once = withErrorWords({ fetch, timeoutMs: Math.ceil(timeoutMs), retries: 0 })
  const sendOnce = createRestFetch(once, secrets)

  const policy = { nodes: all, timeoutMs, retries, isFailure, mayDifferElsewhere, beforeAttempt: turn }
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

// 500 says that the ledger of this node has no answer, 501 that it does not offer the operation: another one may.
function mayDifferElsewhere(status: number | undefined): boolean {
  return isFailure(status) || status === 500 || status === 501
}
