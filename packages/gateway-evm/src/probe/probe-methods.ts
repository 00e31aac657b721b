import { setTimeout as sleep } from 'node:timers/promises'
import type { Method } from '@fairlead/core'
import { classifyResponse, isRateLimited, noSuchMethod, type Verdict } from './classify-response.ts'
import type { ProbeResponse, ProbeCaller, ProbeTransport } from './read-response.ts'
import { type ChainSample, readSample } from './read-sample.ts'
import { type Ask, type Recipe, recipeOf } from './recipes.ts'

/** What one method did over one transport. */
export interface MethodFinding extends Verdict {
  readonly method: string
  readonly transport: ProbeTransport
  /** The node's own words; empty when there were none. They may hold secrets. */
  readonly message: string
  /** Median of the calls; undefined when there was no answer. */
  readonly latencyMs: number | undefined
}

/** What a node answers. */
export interface ProbeReport {
  readonly sample: ChainSample
  /** By method, then by transport. */
  readonly findings: readonly MethodFinding[]
}

export interface ProbeOptions {
  /** At least one. */
  readonly callers: Readonly<Partial<Record<ProbeTransport, ProbeCaller>>>
  readonly methods: readonly Method[]
  /** How often each method is called, to measure it. */
  readonly repeat: number
  /** How many calls may be under way at once. */
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Hears which method is called next, and how many were. */
  readonly onProgress?: (done: number, total: number, method: string) => void
}

/** The node cannot be probed at all. The reason is for people and holds no secret. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure'
}

const mostAttempts = 4
const firstPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Calls every method in a way that changes nothing, and tells what came of it.
 *
 * @throws {@link ProbeFailure} when the node cannot be reached, or answers nothing but refusals
 * @throws what the signal was aborted with
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
  // All of them end before the node is let go of: one may still be removing what it has made.
  const ends = await Promise.allSettled(Array.from({ length: options.concurrency }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  signal.throwIfAborted()
  return { sample, findings: findings.toSorted(byName) }
}

type TimedAnswer = ProbeResponse & { readonly latencyMs: number }
type PatientAsk = (method: string, params: readonly unknown[]) => Promise<TimedAnswer>

/** Waits as long as the node asks to, with all calls and not only with the one that was told to. */
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

/** Calls also when the probe has been ended, to leave nothing behind. */
function untiring(caller: ProbeCaller): Ask {
  const never = new AbortController().signal
  return (method, params) => caller.call(method, params, never)
}

/** A hundred refusals say no more than a few, so they are not asked for. */
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
    // Asking again for what is not there tells nothing new.
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
