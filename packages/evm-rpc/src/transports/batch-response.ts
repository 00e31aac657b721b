import { type JsonRpcResponse, resultOf, rpcErrorOf } from './response.ts'
import type { Envelope } from './envelope.ts'
import { type Outcome, outcomeOf } from './outcomes.ts'

/**
 * Matches the responses of a batch to its calls by id.
 *
 * A call without its own response gets the error without an id, if there is one: a server that rejects a whole batch
 * sends that error alone, or in an array.
 */
export function outcomesOf(
  envelopes: readonly Envelope[],
  message: unknown,
  status: number,
  secrets: readonly string[],
): readonly Outcome[] {
  const responses = (Array.isArray(message) ? message : []) as (JsonRpcResponse | null)[]
  const byId = new Map(responses.map((response) => [response?.id, response]))
  const responseWithoutId = Array.isArray(message) ? byId.get(null) : message
  return envelopes.map(({ id, method }) => {
    return outcomeOf(() => {
      const refusal = byId.has(id) ? undefined : rpcErrorOf(method, responseWithoutId, status, secrets)
      if (refusal) throw refusal
      return resultOf(method, byId.get(id), status, secrets)
    })
  })
}
