import { setImmediate as nextTick } from 'node:timers/promises'
import type { SolanaChain } from '../../chain/solana-chain.ts'
import { parseJson, writeJson } from './json.ts'
import type { Method } from './method.ts'
import { accountMethods } from './methods/accounts.ts'
import { clusterMethods } from './methods/cluster.ts'
import { simulationMethods } from './methods/simulation.ts'
import { transactionMethods } from './methods/transactions.ts'
import { RpcCode, RpcError } from './rpc-error.ts'

const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...clusterMethods, ...accountMethods, ...simulationMethods, ...transactionMethods }),
)

/** The target of calls. */
export interface CallContext {
  readonly chain: SolanaChain
  /** Called with each error that is not reported to a caller. */
  readonly onFault: (error: unknown) => void
}

/**
 * Processes the body of a request: one call, or a batch whose calls run one after the other.
 *
 * @param body JSON text
 * @returns JSON text; undefined when every call is a notification, which has no response
 * @see https://www.jsonrpc.org/specification
 */
export async function handleBody(body: string, context: CallContext): Promise<string | undefined> {
  let calls: unknown
  try {
    calls = parseJson(body)
  } catch {
    return refuse(new RpcError(RpcCode.parseError, 'Parse error: the body is not JSON'))
  }
  if (!Array.isArray(calls)) {
    const response = await handleCall(calls, context)
    return response === undefined ? undefined : writeJson(response)
  }
  if (calls.length === 0)
    return refuse(new RpcError(RpcCode.invalidRequest, 'Invalid request: a batch must have a call'))
  const responses: object[] = []
  for (const call of calls) {
    const response = await handleCall(call, context)
    if (response !== undefined) responses.push(response)
    // The chain and other callers must not wait for a long batch.
    await nextTick()
  }
  return responses.length === 0 ? undefined : writeJson(responses)
}

/** Formats the response to a request without a valid call. */
export function refuse(fault: RpcError): string {
  return writeJson(failure(null, fault))
}

async function handleCall(call: unknown, { chain, onFault }: CallContext): Promise<object | undefined> {
  const { id, method, params } = asRecord(call)
  const isNotification = id === undefined && typeof method === 'string'
  try {
    const result = await callMethod(method, params, chain)
    return isNotification ? undefined : { jsonrpc: '2.0', result, id: idOf(id) }
  } catch (error) {
    if (!(error instanceof RpcError)) onFault(error)
    return isNotification ? undefined : failure(id, error)
  }
}

async function callMethod(method: unknown, params: unknown, chain: SolanaChain): Promise<unknown> {
  if (typeof method !== 'string')
    throw new RpcError(RpcCode.invalidRequest, 'Invalid request: method must be a text')
  const handler = methods.get(method)
  if (handler === undefined) throw new RpcError(RpcCode.methodNotFound, 'Method not found')
  const parameters = params ?? []
  if (!Array.isArray(parameters))
    throw new RpcError(RpcCode.invalidParameters, 'Invalid params: params must be a list')
  return handler(parameters, chain)
}

function failure(id: unknown, error: unknown): object {
  const { code, message, data } =
    error instanceof RpcError ? error : new RpcError(RpcCode.internalError, 'Internal error')
  return {
    jsonrpc: '2.0',
    error: { code, message, ...(data === undefined ? {} : { data }) },
    id: idOf(id),
  }
}

function idOf(id: unknown): unknown {
  return ['string', 'number', 'bigint'].includes(typeof id) ? id : null
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
