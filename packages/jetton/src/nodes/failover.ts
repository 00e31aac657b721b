import {
  bestOf,
  createRestFetch,
  FairleadError,
  hasNeverConnected,
  type HttpOptions,
  isRetryableStatus,
  longestMs,
  recordFailure,
  recordSuccess,
  recordTry,
  requireNumber,
  pause,
} from '@fairlead/core'
import { withErrorWords } from './error-body.ts'
import { createNodes, type JettonNodeOptions, type Node } from './node.ts'
import { operationOf } from './operation.ts'
import { type RateLimit, rateLimiter } from './rate-limit.ts'
import { isRead } from './sendable-again.ts'
import type { JettonTransport } from './transport.ts'

// A node may ask for a pause; one beyond this is not waited out but handed to the caller as the answer it is.
const longestPauseMs = 60_000

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
  // What must not be shown of one node is not shown in the errors of another either. Each attempt is one of the loop below,
  // and its limit must be whole milliseconds in some runtimes.
  const secrets = all.flatMap((node) => node.secrets)
  const once = withErrorWords({ fetch, timeoutMs: Math.ceil(timeoutMs), retries: 0 })
  const sendOnce = createRestFetch(once, secrets)

  const send = async (request: Request): Promise<Response> => {
    const { signal } = request
    const body = await request.text()
    const isReading = isRead(operationOf(request.url, body))
    let left = all

    for (let count = 1; ; count++) {
      await turn?.(signal)
      const node = bestOf(left)
      left = left.filter((other) => other !== node)
      recordTry(node.health, timeoutMs)
      const answer = await sendOnce(requestTo(node, request, body)).catch((error: unknown) => {
        if (!signal.aborted && isLost(error)) return error
        throw error
      })
      const hasNone = answer instanceof Error
      const status = hasNone ? undefined : answer.status
      const askedMs = hasNone ? undefined : askedPauseMs(answer)
      const mayPass = status === undefined || isRetryableStatus(status)
      if (mayPass) recordFailure(node.health, askedMs)
      else recordSuccess(node.health)

      // 500 says that the ledger of this node has no answer, 501 that it does not offer the operation: another one may.
      const hasOthers = left.length > 0
      const mayDoBetter = hasOthers
        ? mayPass || status === 500 || status === 501
        : mayPass && count <= retries && (askedMs ?? 0) <= longestPauseMs
      if (!mayDoBetter || !(isReading || hasNeverConnected(answer))) {
        if (!hasNone) return answer
        throw new FairleadError(answer.code, { ...answer.context, attempt: count })
      }
      if (hasOthers) continue
      left = all
      await pause(askedMs ?? Math.random() * Math.min(5_000, 100 * 2 ** count), signal)
    }
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

function isLost(error: unknown): error is FairleadError<'TRANSPORT_FAILED' | 'TRANSPORT_TIMEOUT'> {
  return FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')
}

// A number of seconds or a date (RFC 9110, section 10.2.3).
function askedPauseMs({ headers }: Response): number | undefined {
  const after = headers.get('retry-after')
  if (after === null) return undefined
  const askedMs = Number(after) * 1_000
  return Number.isNaN(askedMs) ? Date.parse(after) - Date.now() || undefined : askedMs
}
