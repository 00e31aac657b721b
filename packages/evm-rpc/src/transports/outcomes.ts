import type { CallOptions } from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'

/** The outcome of one call. */
export type Outcome = PromiseSettledResult<unknown>

export const succeeded = (value: unknown): Outcome => ({ status: 'fulfilled', value })
export const failed = (reason: unknown): Outcome => ({ status: 'rejected', reason })

/** Runs a function and returns its outcome. */
export function outcomeOf(run: () => unknown): Outcome {
  try {
    return succeeded(run())
  } catch (error) {
    return failed(error)
  }
}

/**
 * Sends calls in as few exchanges as the transport supports: a single call is sent without a batch.
 *
 * It returns an outcome for every call and never rejects, also when a transport violates that rule. Otherwise the
 * caller would wait forever.
 */
export async function sendAll(
  transport: Transport,
  requests: readonly RpcRequest[],
  options?: CallOptions,
): Promise<readonly Outcome[]> {
  const single = (request: RpcRequest): Promise<unknown> => transport.request(request, options)
  if (requests.length < 2 || !transport.batch) {
    return Promise.allSettled(requests.map(async (request) => single(request)))
  }
  try {
    const outcomes = await transport.batch(requests, options)
    return requests.map(
      (_, position) => outcomes[position] ?? failed(new TypeError('a transport gave too few outcomes')),
    )
  } catch (error) {
    return requests.map(() => failed(error))
  }
}

/** Sends any number of calls, including one. */
export type SendAll = (requests: readonly RpcRequest[], options?: CallOptions) => Promise<readonly Outcome[]>

/** Implements `request` and `batch` with one function that sends any number of calls. */
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

/** The parts that a wrapper passes through: the persistent connection of the inner transport, if it has one. */
export function connectionMethodsOf(transport: Transport): Omit<Transport, 'request' | 'batch'> {
  return {
    ...(transport.subscribe && { subscribe: transport.subscribe.bind(transport) }),
    ...(transport.onConnection && { onConnection: transport.onConnection.bind(transport) }),
    ...(transport.close && { close: transport.close.bind(transport) }),
  }
}
