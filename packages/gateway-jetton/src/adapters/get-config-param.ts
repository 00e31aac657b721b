import { isRecord } from '@fairlead/gateway-core/json'
import { cachedParameter } from '../chain-configuration/cached-parameters.ts'
import type { JettonAdapter, UpstreamResponse } from '../upstream/types.ts'
import { JettonError } from '../jetton-error.ts'
import { type JsonRecord, recordOf, invalidResponse } from './upstream-response.ts'

/**
 * Returns a configuration parameter by number. Upstreams return its cell in an envelope; the contract has its fields.
 */
export const getConfigParam: JettonAdapter = async ({ parameters, tenant, signal }, upstreams) => {
  const id = idOf(parameters)
  const query = { config_id: id }
  const body = configOf(
    id,
    await upstreams.request({ family: 'v2', method: 'GET', path: '/getConfigParam', query, tenant, signal }),
  )
  // An upstream of the same contract responds without an envelope and with the decoded value.
  const { value } = isRecord(body['value']) ? body : parameterOf(id, body['result'])
  return { config_id: id, value }
}

/** The same by JSON-RPC, where clients of TON nodes also expect the cell. */
export const getConfigParamByJsonRpc: JettonAdapter = async ({ parameters, tenant, signal }, upstreams) => {
  const id = idOf(parameters)
  const call = { jsonrpc: '2.0', id: '1', method: 'getConfigParam', params: { config_id: id } }
  const body = configOf(
    id,
    await upstreams.request({ family: 'v2', method: 'POST', path: '/jsonRPC', body: call, tenant, signal }),
  )
  const { bytes, value } = parameterOf(id, body['result'])
  return { config_id: id, value, '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes } }
}

const idOf = (parameters: JsonRecord) => Number(parameters['config_id'])

function configOf(id: number, response: UpstreamResponse): JsonRecord {
  try {
    return recordOf(response)
  } catch (failure) {
    throw failure instanceof JettonError && isAbsenceError(failure) ? parameterNotFound(id) : failure
  }
}

// The search time grows with the square of the length, and an upstream may send megabytes.
const maxMessageLength = 1_000
// An upstream reports a missing parameter with a message that differs by implementation, and uses one status for every
// failure.
const absenceMessage =
  /null cell|(?:no|unknown) (?:such )?(?:config )?param|param\w* \S* ?(?:is |was )?(?:not found|not set|absent)/i
const isAbsenceError = ({ status, message }: JettonError) =>
  (status === 404 || status === 500) && absenceMessage.test(message.slice(0, maxMessageLength))

const parameterNotFound = (id: number) => new JettonError(404, `The configuration has no parameter ${id}.`)

function parameterOf(id: number, info: unknown): { readonly bytes: string; readonly value: unknown } {
  const cell = isRecord(info) ? info['config'] : undefined
  const bytes = isRecord(cell) ? cell['bytes'] : undefined
  if (typeof bytes !== 'string') throw invalidResponse()
  if (bytes === '') throw parameterNotFound(id)
  try {
    return { bytes, value: cachedParameter(id, bytes) }
  } catch {
    throw invalidResponse()
  }
}
