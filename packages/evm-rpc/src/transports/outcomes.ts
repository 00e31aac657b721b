import type { CallOptions } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'

/** What became of one call. */
export type Outcome = PromiseSettledResult<unknown>

export const succeeded = (value: unknown): Outcome => ({ status: 'fulfilled', value })
export const failed = (reason: unknown): Outcome => ({ status: 'rejected', reason })

/** What became of a call that is run now. */
export function outcomeOf(run: () => unknown): Outcome {
  try {
    return succeeded(run())
  } catch (error) {
    return failed(error)
  }
}

/**
 * Carries calls in as few exchanges as the transport can: one alone goes out plain.
 *
 * It gives an outcome for every call and never rejects, also when a transport breaks its promise to do so: an unanswered
 * caller would wait for ever.
 */
export async function sendAll(
  transport: Transport,
  requests: readonly RpcRequest[],
  options?: CallOptions,
): Promise<readonly Outcome[]> {
  const alone = (request: RpcRequest): Promise<unknown> => transport.request(request, options)
  if (requests.length < 2 || !transport.batch) {
    return Promise.allSettled(requests.map(async (request) => alone(request)))
  }
  try {
    const outcomes = await transport.batch(requests, options)
    return requests.map(
      (_, place) => outcomes[place] ?? failed(new TypeError('a transport gave too few outcomes')),
    )
  } catch (error) {
    return requests.map(() => failed(error))
  }
}

/** Carries several calls; one is several of length one. */
export type SendAll = (requests: readonly RpcRequest[], options?: CallOptions) => Promise<readonly Outcome[]>

/** Both ways to call, from one that treats every number of calls alike. */
export function callsOf(send: SendAll): Required<Pick<Transport, 'request' | 'batch'>> {
  return {
    async request(request, options) {
      const [outcome] = await send([request], options)
      if (outcome?.status === 'fulfilled') return outcome.value
      throw outcome?.reason
    },
    batch: send,
  }
}

/** What a wrapper hands through: the lasting connection of the transport inside, where it has one. */
export function lastingParts(transport: Transport): Omit<Transport, 'request' | 'batch'> {
  return {
    ...(transport.subscribe && { subscribe: transport.subscribe.bind(transport) }),
    ...(transport.onConnection && { onConnection: transport.onConnection.bind(transport) }),
    ...(transport.close && { close: transport.close.bind(transport) }),
  }
}
