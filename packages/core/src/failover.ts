import { FairleadError } from './error.ts'
import { isRetryableStatus } from './retryable.ts'
import { hasNeverConnected } from './never-connected.ts'
import { bestOf, type NodeHealth, recordFailure, recordSuccess, recordTry } from './node-health.ts'
import { pause } from './pause.ts'

// A node can request a delay. If the delay exceeds this limit, the caller gets the response instead of a retry.
const longestPauseMs = 60_000

/** Options for sending calls to several nodes. */
export interface FailoverOptions<node extends { readonly health: NodeHealth }> {
  /** At least one. */
  readonly nodes: readonly node[]
  /** Timeout of one attempt in milliseconds. */
  readonly timeoutMs: number
  /** Maximum number of repeated attempts; each node is tried once in any case. */
  readonly retries: number
  /** Whether a status, or undefined for no response, counts as a failure of the node. */
  isFailure(status: number | undefined): boolean
  /** Whether another node may have a better response than this status, or than none. */
  mayDifferElsewhere(status: number | undefined): boolean
  /** Waits before each attempt, as a rate limit does. */
  readonly beforeAttempt?: ((signal: AbortSignal) => Promise<void>) | undefined
}

/** A call that can be sent to any of the nodes. */
export interface FailoverCall<node> {
  readonly signal: AbortSignal
  /** Whether it can be sent again even if a node may have received it. */
  readonly isRepeatable: boolean
  /** Makes one attempt; rejects with a FairleadError when there is no response. */
  send(node: node): Promise<Response>
}

/**
 * Sends a call to the first healthy node, and to the next one as long as another node may have a better response.
 *
 * A call that is not repeatable is sent again only when the connection was never established. When all nodes have
 * failed, the next round starts after a delay with full jitter, or after the delay that the node requested
 * (`Retry-After`).
 *
 * @returns the response of a node, whatever its status
 * @throws FairleadError `TRANSPORT_FAILED` or `TRANSPORT_TIMEOUT` of the last attempt, with the number of attempts; the
 *   reason of the signal when that aborts
 * @example
 * ```ts
 * const nodes = urls.map((url) => ({ url, health: newHealth() }))
 * const isFailure = (status?: number) => status === undefined || isRetryableStatus(status)
 * const options = { nodes, timeoutMs: 30_000, retries: 2, isFailure, mayDifferElsewhere: isFailure }
 * const answer = await sendWithFailover(options, { signal, isRepeatable: true, send: ({ url }) => attempt(url) })
 * ```
 */
export async function sendWithFailover<node extends { readonly health: NodeHealth }>(
  options: FailoverOptions<node>,
  { signal, isRepeatable, send }: FailoverCall<node>,
): Promise<Response> {
  const { nodes, timeoutMs, retries } = options
  let left = nodes
  for (let count = 1; ; count++) {
    await options.beforeAttempt?.(signal)
    const node = bestOf(left)
    left = left.filter((other) => other !== node)
    recordTry(node.health, timeoutMs)
    const answer = await send(node).catch((error: unknown) => {
      if (!signal.aborted && isLost(error)) return error
      throw error
    })
    const hasNone = answer instanceof Error
    const status = hasNone ? undefined : answer.status
    const askedMs = hasNone ? undefined : askedPauseMs(answer)
    if (options.isFailure(status)) recordFailure(node.health, askedMs)
    else recordSuccess(node.health)

    const hasOthers = left.length > 0
    const mayPass = status === undefined || isRetryableStatus(status)
    const mayDoBetter = hasOthers
      ? options.mayDifferElsewhere(status)
      : mayPass && count <= retries && (askedMs ?? 0) <= longestPauseMs
    if (!mayDoBetter || !(isRepeatable || hasNeverConnected(answer))) {
      if (!hasNone) return answer
      throw new FairleadError(answer.code, { ...answer.details, attempt: count })
    }
    if (hasOthers) continue
    left = nodes
    await pause(askedMs ?? Math.random() * Math.min(5_000, 100 * 2 ** count), signal)
  }
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
