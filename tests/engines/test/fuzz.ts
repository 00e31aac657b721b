import { methodsOf, resolved, specification } from '@fairlead/contract-tests/specifications'
import { sample as generate } from 'fast-check'
import { expect } from 'vitest'
import { type ArbitraryCall, arbitraryCall } from './arbitrary-call.ts'
import { overHttp } from './ask.ts'
import { isResultOf } from './contract.ts'
import { errorDeviations, resultDeviations } from './deviations.ts'
import { sampleOf } from './geth-cases.ts'

const callsInRound = 200
const callsAtOnce = 8
const noUpstream = 502

const document = specification('evm')
const errorCodes = new Map(
  methodsOf(document).map(({ name, errors }) => [
    name,
    new Set(errors.map((error) => resolved(document, error)['code'])),
  ]),
)

/** What a gateway is called with. */
export interface Fuzzing {
  readonly url: string
  readonly seed: number
  readonly seconds: number
}

/** What came of it. */
export interface Fuzzed {
  readonly results: number
  readonly errors: number
  /** Calls without an answer, as the node had ended itself. */
  readonly unanswered: readonly ArbitraryCall[]
  /** Responses that the document does not describe, one of each kind, with the call. */
  readonly problems: readonly (readonly [problem: string, call: ArbitraryCall])[]
}

/** Calls methods with whatever the OpenRPC document allows and forbids, and examines the responses. */
export async function fuzz({ url, seed, seconds }: Fuzzing): Promise<Fuzzed> {
  const calls = arbitraryCall(await sampleOf(overHttp(url)))
  const problems = new Map<string, ArbitraryCall>()
  const unanswered: ArbitraryCall[] = []
  const counts = { results: 0, errors: 0 }
  const examineNext = async (waiting: ArbitraryCall[]) => {
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      const { status, body } = await send(url, call)
      if (status === noUpstream) {
        unanswered.push(call)
        await expect
          .poll(() => send(url, { method: 'eth_chainId', params: [] }))
          .toMatchObject({ status: 200 })
        continue
      }
      counts[body.error === undefined ? 'results' : 'errors'] += 1
      const problem = status === 200 ? problemOf(call.method, body) : `status ${status}`
      const kind = `${call.method}: ${problem}`
      if (problem !== undefined && !problems.has(kind)) problems.set(kind, call)
    }
  }
  const end = performance.now() + seconds * 1_000
  for (let round = 0; performance.now() < end; round++) {
    const waiting = generate(calls, { seed: seed + round, numRuns: callsInRound })
    await Promise.all(Array.from({ length: callsAtOnce }, () => examineNext(waiting)))
  }
  return { ...counts, unanswered, problems: [...problems] }
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

function problemOf(method: string, body: Body): string | undefined {
  const { jsonrpc, id, error } = body
  if (jsonrpc !== '2.0' || id !== 'a') return 'not a response to the request'
  if (error === undefined) {
    const isAllowed = resultDeviations.some(
      ({ methods, allows }) => methods.includes(method) && allows(body.result),
    )
    return isAllowed || isResultOf(method, body.result)
      ? undefined
      : `the result breaks the schema: ${JSON.stringify(body.result).slice(0, 200)}`
  }
  if ('result' in body) return 'both a result and an error'
  const { code, message } = error
  if (typeof message !== 'string') return 'the error has no message'
  const isDeclared = errorCodes.get(method)?.has(code) === true
  const isAllowed = errorDeviations.some(
    (deviation) =>
      deviation.code === code && deviation.methods.test(method) && deviation.message.test(message),
  )
  return isDeclared || isAllowed ? undefined : `code ${String(code)} ${message}`
}
