import { setTimeout as sleep } from 'node:timers/promises'
import type { Method } from '@fairlead/core'
import { classifyResponse, isRateLimited, noSuchMethod, type Verdict } from './classify-response.ts'
import type { ProbeResponse, ProbeCaller, ProbeTransport } from './read-response.ts'
import { type ChainSample, readSample } from './read-sample.ts'
import { type Ask, type Recipe, recipeOf } from './recipes.ts'

/** Result of one method over one transport. */
export interface MethodFinding extends Verdict {
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

const mostAttempts = 4
const firstPauseMs = 1_000
const longestPauseMs = 30_000

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
    return caller ? [{ transport, ask: patient(caller, signal), tidyAsk: untiring(caller) }] : []
  })
  const decoys = new Map<ProbeTransport, ProbeResponse>()
  for (const { transport, ask } of callers) {
    await assertAnswers(ask, callers.length > 1 ? `${transport}: ` : '')
    decoys.set(transport, await ask(noSuchMethod, []))
  }
  const [first] = callers
  if (!first) throw new Error('A probe needs a caller.')
  const sample = await readSample(first.ask)
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
  const ends = await Promise.allSettled(Array.from({ length: options.concurrency }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  signal.throwIfAborted()
  return { sample, findings: findings.toSorted(byName) }
}

type TimedAnswer = ProbeResponse & { readonly latencyMs: number }
type PatientAsk = (method: string, params: readonly unknown[]) => Promise<TimedAnswer>

/**
 * Calls with retries on a rate limit. All calls wait for as long as the upstream requests, not only the one that was
 * limited.
 */
function patient(caller: ProbeCaller, signal: AbortSignal): PatientAsk {
  let pausedUntil = 0
  return async (method, params) => {
    for (let attempt = 1; ; attempt++) {
      while (pausedUntil > performance.now()) {
        await sleep(pausedUntil - performance.now(), undefined, { signal })
      }
      signal.throwIfAborted()
      const started = performance.now()
      const answer = await caller.call(method, params, signal)
      const latencyMs = performance.now() - started
      const pauseMs = answer.retryAfterMs ?? firstPauseMs * 2 ** (attempt - 1)
      if (!isRateLimited(answer) || attempt === mostAttempts || pauseMs > longestPauseMs) {
        return { ...answer, latencyMs }
      }
      pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs)
    }
  }
}

/** Calls even after the probe was aborted, so that no filter or subscription remains. */
function untiring(caller: ProbeCaller): Ask {
  const never = new AbortController().signal
  return (method, params) => caller.call(method, params, never)
}

/** Stops the probe early when the first calls are rejected, because further rejections give no more information. */
async function assertAnswers(ask: PatientAsk, prefix: string): Promise<void> {
  let verdict: Verdict | undefined
  for (const method of ['eth_chainId', 'web3_clientVersion', 'eth_blockNumber']) {
    const answer = await ask(method, [])
    verdict = classifyResponse(method, answer)
    if (answer.hasResult || (answer.error && verdict.outcome !== 'refused' && verdict.outcome !== 'failed')) {
      return
    }
    if (answer.problem === 'unreachable' && answer.status === undefined) break
  }
  throw new ProbeFailure(`${prefix}${reasons[verdict?.note ?? ''] ?? `The node answers ${verdict?.note}.`}`)
}

const reasons: Readonly<Record<string, string>> = {
  'not reachable': 'The node cannot be reached.',
  'no answer in time': 'The node does not answer in time.',
  'not JSON-RPC': 'What answers at this address does not speak JSON-RPC.',
  'credential refused': 'The node refuses the credential.',
  'rate limited': 'The node asks to be called less often.',
}

interface Finding {
  readonly method: Method
  readonly transport: ProbeTransport
  readonly ask: PatientAsk
  readonly tidyAsk: Ask
  readonly sample: ChainSample
  readonly decoy: ProbeResponse | undefined
  readonly repeat: number
}

async function find({
  method,
  transport,
  ask,
  tidyAsk,
  sample,
  decoy,
  repeat,
}: Finding): Promise<MethodFinding> {
  const { name } = method
  const recipe = recipeOf(method)
  if (!recipe) {
    const verdict = { outcome: 'skipped', note: 'may change something' } as const
    return { method: name, transport, ...verdict, message: '', latencyMs: undefined }
  }
  const answers: TimedAnswer[] = []
  for (let round = 0; round < repeat; round++) {
    answers.push(await callOnce(name, recipe, sample, ask, tidyAsk))
    // Repeating a call to a missing method gives no more information.
    if (classifyResponse(name, answers[0] as TimedAnswer, decoy).outcome !== 'available') break
  }
  const first = answers[0] as TimedAnswer
  const hasAnswer = first.problem === undefined || first.status !== undefined
  return {
    method: name,
    transport,
    ...classifyResponse(name, first, decoy),
    message: first.error?.message ?? '',
    latencyMs: hasAnswer ? median(answers.map(({ latencyMs }) => latencyMs)) : undefined,
  }
}

async function callOnce(
  name: string,
  recipe: Recipe,
  sample: ChainSample,
  ask: PatientAsk,
  tidyAsk: Ask,
): Promise<TimedAnswer> {
  const params = await recipe.params(sample, ask)
  let answer: TimedAnswer | undefined
  try {
    answer = await ask(name, params)
    return answer
  } finally {
    await recipe.tidy?.(answer ?? {}, params, tidyAsk)
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
