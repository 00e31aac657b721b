import { setTimeout as sleep } from 'node:timers/promises'
import type { Method } from '@fairlead/core'
import {
  classifyResponse,
  isRateLimited,
  nonexistentMethod,
  type Classification,
} from './classify-response.ts'
import type { ProbeResponse, ProbeCaller, ProbeTransport } from './read-response.ts'
import { type ChainSample, readSample } from './read-sample.ts'
import { type Send, type Recipe, recipeOf } from './recipes.ts'

/** Result of one method over one transport. */
export interface MethodFinding extends Classification {
  readonly method: string
  readonly transport: ProbeTransport
  /** Error message of the upstream. Empty when there was none. It may contain secrets. */
  readonly message: string
  /** Median of the calls, in milliseconds. Undefined when there was no response. */
  readonly latencyMs: number | undefined
}

/** Result of a probe. */
export interface ProbeReport {
  readonly sample: ChainSample
  /** By method, then by transport. */
  readonly findings: readonly MethodFinding[]
}

export interface ProbeOptions {
  /** At least one. */
  readonly callers: Readonly<Partial<Record<ProbeTransport, ProbeCaller>>>
  readonly methods: readonly Method[]
  /** Number of calls per method, for the latency measurement. */
  readonly repeat: number
  /** Maximum number of concurrent calls. */
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Called with the method to call next, and with the number of completed and total calls. */
  readonly onProgress?: (done: number, total: number, method: string) => void
}

/** The upstream cannot be probed at all. The message is human-readable and contains no secrets. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure'
}

const maxAttempts = 4
const firstPauseMs = 1_000
const maxPauseMs = 30_000

/**
 * Calls every method in a way that changes nothing, and reports the results.
 *
 * @throws {@link ProbeFailure} when the upstream cannot be reached or rejects every call
 * @throws the abort reason of the signal
 */
export async function probeMethods(options: ProbeOptions): Promise<ProbeReport> {
  const { methods, signal, onProgress } = options
  const callers = (['http', 'websocket'] as const).flatMap((transport) => {
    const caller = options.callers[transport]
    return caller ? [{ transport, send: withRetries(caller, signal), cleanUpSend: withoutAbort(caller) }] : []
  })
  const decoys = new Map<ProbeTransport, ProbeResponse>()
  for (const { transport, send } of callers) {
    await assertResponsive(send, callers.length > 1 ? `${transport}: ` : '')
    decoys.set(transport, await send(nonexistentMethod, []))
  }
  const [first] = callers
  if (!first) throw new Error('A probe requires a caller.')
  const sample = await readSample(first.send)
  const calls = methods.flatMap((method) =>
    callers
      .filter(({ transport }) => method.transports?.includes(transport) ?? true)
      .map((caller) => ({ method, ...caller })),
  )
  if (calls.length === 0) throw new ProbeFailure('None of the methods can be called over this transport.')
  const findings: MethodFinding[] = []
  const queue = [...calls]
  const work = async () => {
    for (let call = queue.shift(); call; call = queue.shift()) {
      signal.throwIfAborted()
      onProgress?.(findings.length, calls.length, call.method.name)
      findings.push(
        await find({ ...call, sample, decoy: decoys.get(call.transport), repeat: options.repeat }),
      )
    }
  }
  // All workers finish before the function returns: one may still be removing what its calls have created.
  const settled = await Promise.allSettled(Array.from({ length: options.concurrency }, work))
  for (const end of settled) if (end.status === 'rejected') throw end.reason
  signal.throwIfAborted()
  return { sample, findings: findings.toSorted(byName) }
}

type TimedResponse = ProbeResponse & { readonly latencyMs: number }
type SendWithRetries = (method: string, params: readonly unknown[]) => Promise<TimedResponse>

/**
 * Calls with retries on a rate limit. All calls wait for as long as the upstream requests, not only the one that was
 * limited.
 */
function withRetries(caller: ProbeCaller, signal: AbortSignal): SendWithRetries {
  let pausedUntil = 0
  return async (method, params) => {
    for (let attempt = 1; ; attempt++) {
      while (pausedUntil > performance.now()) {
        await sleep(pausedUntil - performance.now(), undefined, { signal })
      }
      signal.throwIfAborted()
      const started = performance.now()
      const response = await caller.call(method, params, signal)
      const latencyMs = performance.now() - started
      const pauseMs = response.retryAfterMs ?? firstPauseMs * 2 ** (attempt - 1)
      if (!isRateLimited(response) || attempt === maxAttempts || pauseMs > maxPauseMs) {
        return { ...response, latencyMs }
      }
      pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs)
    }
  }
}

/** Calls even after the probe was aborted, so that no filter or subscription remains. */
function withoutAbort(caller: ProbeCaller): Send {
  const neverAborted = new AbortController().signal
  return (method, params) => caller.call(method, params, neverAborted)
}

/** Stops the probe early when the first calls are rejected, because further rejections give no more information. */
async function assertResponsive(send: SendWithRetries, prefix: string): Promise<void> {
  let classification: Classification | undefined
  for (const method of ['eth_chainId', 'web3_clientVersion', 'eth_blockNumber']) {
    const response = await send(method, [])
    classification = classifyResponse(method, response)
    if (
      response.hasResult ||
      (response.error && classification.outcome !== 'refused' && classification.outcome !== 'failed')
    ) {
      return
    }
    if (response.problem === 'unreachable' && response.status === undefined) break
  }
  throw new ProbeFailure(
    `${prefix}${reasons[classification?.note ?? ''] ?? `The node returns ${classification?.note}.`}`,
  )
}

const reasons: Readonly<Record<string, string>> = {
  unreachable: 'The node cannot be reached.',
  'no response in time': 'The node does not respond in time.',
  'not JSON-RPC': 'The server at this URL does not support JSON-RPC.',
  'credential rejected': 'The node rejects the credential.',
  'rate limited': 'The node rejects calls because of a rate limit.',
}

interface Finding {
  readonly method: Method
  readonly transport: ProbeTransport
  readonly send: SendWithRetries
  readonly cleanUpSend: Send
  readonly sample: ChainSample
  readonly decoy: ProbeResponse | undefined
  readonly repeat: number
}

async function find({
  method,
  transport,
  send,
  cleanUpSend,
  sample,
  decoy,
  repeat,
}: Finding): Promise<MethodFinding> {
  const { name } = method
  const recipe = recipeOf(method)
  if (!recipe) {
    const classification = { outcome: 'skipped', note: 'may change state' } as const
    return { method: name, transport, ...classification, message: '', latencyMs: undefined }
  }
  const responses: TimedResponse[] = []
  for (let round = 0; round < repeat; round++) {
    responses.push(await callOnce(name, recipe, sample, send, cleanUpSend))
    // Repeating a call to a missing method gives no more information.
    if (classifyResponse(name, responses[0] as TimedResponse, decoy).outcome !== 'available') break
  }
  const first = responses[0] as TimedResponse
  const hasResponse = first.problem === undefined || first.status !== undefined
  return {
    method: name,
    transport,
    ...classifyResponse(name, first, decoy),
    message: first.error?.message ?? '',
    latencyMs: hasResponse ? median(responses.map(({ latencyMs }) => latencyMs)) : undefined,
  }
}

async function callOnce(
  name: string,
  recipe: Recipe,
  sample: ChainSample,
  send: SendWithRetries,
  cleanUpSend: Send,
): Promise<TimedResponse> {
  const params = await recipe.params(sample, send)
  let response: TimedResponse | undefined
  try {
    response = await send(name, params)
    return response
  } finally {
    await recipe.cleanUp?.(response ?? {}, params, cleanUpSend)
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return Math.round(middle * 100) / 100
}

function byName(left: MethodFinding, right: MethodFinding): number {
  return compare(left.method, right.method) || compare(left.transport, right.transport)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
