import { methodsOf, resolved, specification } from '@fairlead/contract-tests/specifications'
import { type Arbitrary, sample as generate } from 'fast-check'
import { expect } from 'vitest'
import { type ArbitraryCall, arbitraryCall } from './arbitrary-call.ts'
import { overHttp } from './rpc-client.ts'
import { isResultOf } from './contract.ts'
import { errorDeviations, resultDeviations } from './deviations.ts'
import { sampleOf } from './geth-cases.ts'

const callsInRound = 100
// So that rounds of different seeds do not overlap.
const roundsOfSeed = 1_000
const noUpstream = 502
// The pause before a restart grows with every panic.
const restartMs = 60_000

const document = specification('evm')
const errorCodes = new Map(
  methodsOf(document).map(({ name, errors }) => [
    name,
    new Set(errors.map((error) => resolved(document, error)['code'])),
  ]),
)

/** The calls to a gateway. A seed determines the same sequence of calls on every machine. */
export interface Fuzzing {
  readonly url: string
  readonly seed: number
  readonly calls: number
  /** Upper bound, for a machine that is too slow for all calls. */
  readonly seconds: number
}

/** The results. */
export interface Fuzzed {
  readonly results: number
  readonly errors: number
  /** Number of responses that are listed as deviations. */
  readonly deviations: number
  /** Calls without a response, because the node had crashed. */
  readonly unanswered: readonly ArbitraryCall[]
  /** Responses that the document does not describe, one of each kind, with the call. */
  readonly problems: readonly (readonly [problem: string, call: ArbitraryCall])[]
}

/** Calls methods with valid and invalid parameters by the OpenRPC document, and checks the responses. */
export async function fuzz({ url, seed, calls: count, seconds }: Fuzzing): Promise<Fuzzed> {
  const calls = arbitraryCall(await sampleOf(overHttp(url)))
  const problems = new Map<string, ArbitraryCall>()
  const unanswered: ArbitraryCall[] = []
  const counts = { results: 0, errors: 0, deviations: 0 }
  const end = performance.now() + seconds * 1_000
  for (const call of callsOf(calls, seed, count)) {
    if (performance.now() > end) break
    const { status, body } = await send(url, call)
    if (status === noUpstream) {
      unanswered.push(call)
      await expect
        .poll(() => send(url, { method: 'eth_chainId', params: [] }), { timeout: restartMs })
        .toMatchObject({ status: 200 })
      continue
    }
    counts[body.error === undefined ? 'results' : 'errors'] += 1
    const result = status === 200 ? examined(call.method, body) : { problem: `status ${status}` }
    if (result === 'deviation') counts.deviations += 1
    if (typeof result === 'string') continue
    const kind = `${call.method}: ${result.problem}`
    if (!problems.has(kind)) problems.set(kind, call)
  }
  return { ...counts, unanswered, problems: [...problems] }
}

// In rounds, because the connection would be idle for too long while all calls are generated.
function* callsOf(calls: Arbitrary<ArbitraryCall>, seed: number, count: number): Generator<ArbitraryCall> {
  for (let from = 0; from < count; from += callsInRound) {
    const numRuns = Math.min(callsInRound, count - from)
    yield* generate(calls, { seed: seed * roundsOfSeed + from / callsInRound, numRuns })
  }
}

interface Body {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

async function send(
  url: string,
  { method, params }: ArbitraryCall,
): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

/** Checks a response against the document and the list of deviations. Returns the problem, if any. */
function examined(method: string, body: Body): 'described' | 'deviation' | { readonly problem: string } {
  const { jsonrpc, id, error } = body
  if (jsonrpc !== '2.0' || id !== 'a') return { problem: 'not a response to the request' }
  if (error === undefined) {
    if (isResultOf(method, body.result)) return 'described'
    const isAllowed = resultDeviations.some(
      ({ methods, allows }) => methods.includes(method) && allows(body.result),
    )
    if (isAllowed) return 'deviation'
    return { problem: `the result breaks the schema: ${JSON.stringify(body.result).slice(0, 200)}` }
  }
  if ('result' in body) return { problem: 'both a result and an error' }
  const { code, message } = error
  if (typeof message !== 'string') return { problem: 'the error has no message' }
  if (errorCodes.get(method)?.has(code) === true) return 'described'
  const isAllowed = errorDeviations.some(
    (deviation) =>
      deviation.code === code && deviation.methods.test(method) && deviation.message.test(message),
  )
  return isAllowed ? 'deviation' : { problem: `code ${String(code)} ${message}` }
}
