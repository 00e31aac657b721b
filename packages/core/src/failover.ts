import { FairleadError, isRetryableStatus } from './error.ts'
import { hasNeverConnected } from './never-connected.ts'
import { bestOf, type NodeHealth, recordFailure, recordSuccess, recordTry } from './node-health.ts'
import { pause } from './pause.ts'

// A node may ask for a pause; one beyond this is not waited out but handed to the caller as the answer it is.
const longestPauseMs = 60_000

/** How calls go to several nodes. */
export interface FailoverOptions<node extends { readonly health: NodeHealth }> {
  /** At least one. */
  readonly nodes: readonly node[]
  /** Limit of one attempt in milliseconds. */
  readonly timeoutMs: number
  /** How often a call is sent again at most, though each node is asked once in any case. */
  readonly retries: number
  /** Whether a status, or no answer at all, counts as a failure of the node. */
  isFailure(status: number | undefined): boolean
  /** Whether another node may have a better answer than this status, or none. */
  mayDifferElsewhere(status: number | undefined): boolean
  /** Waits before each attempt, as a rate limit does. */
  readonly beforeAttempt?: ((signal: AbortSignal) => Promise<void>) | undefined
}

/** A call that can go to any of the nodes. */
export interface FailoverCall<node> {
  readonly signal: AbortSignal
  /** Whether it may be sent again though a node may have received it. */
  readonly isRepeatable: boolean
  /** Makes one attempt; what it throws without an answer is a FairleadError. */
  send(node: node): Promise<Response>
}

/**
 * Sends a call to the first healthy node, and to the next one while another node may have a better answer.
 *
 * A call that is not repeatable is sent again only when it certainly never arrived. When all nodes have failed, the round
 * begins anew after a pause with full jitter, or as long as the node asked for (`Retry-After`).
 *
 * @returns the answer of a node, whatever its status
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
      throw new FairleadError(answer.code, { ...answer.context, attempt: count })
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
