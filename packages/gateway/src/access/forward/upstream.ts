import { Pool } from 'undici'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'
import { callText } from '../json-rpc/rpc-text.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import type { AnswerMemory, Room } from './answer-memory.ts'
import { answerResult } from './read-answer.ts'
import { unavailable } from './upstream-failure.ts'

/** The HTTP connections to one node. */
export interface Upstream {
  /**
   * Posts a JSON-RPC body.
   *
   * @param body - text to send as it is
   * @param signal - ends the exchange
   * @throws {@link RpcFailure} with status 502 or 504; the message never says where the node is
   */
  post(body: string, signal: AbortSignal): Promise<UpstreamAnswer>
  /**
   * Calls one method and parses its result.
   *
   * @throws {@link RpcFailure} with the node's error, or as {@link Upstream.post}
   */
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /**
   * Calls several methods side by side; the results stand in the order of the calls. They are not sent as a JSON-RPC
   * batch, which some nodes limit and others refuse.
   */
  batch(
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
    signal: AbortSignal,
  ): Promise<unknown[]>
  /** Memory for what one request holds of this node's answers; to be emptied when they have left. */
  room(): Room
  close(): Promise<void>
}

/**
 * Opens a pool of kept-alive connections to a node.
 *
 * @param address - HTTP address; user name and password in it are sent as HTTP basic authentication
 * @param timeoutMs - longest wait for an answer
 * @param memory - for answers that are held whole
 * @throws when the address is not one; the error may quote it
 */
export function createUpstream(address: string, timeoutMs: number, memory: AnswerMemory): Upstream {
  const url = new URL(address)
  const pool = new Pool(url.origin, { connections: 128, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  const path = `${url.pathname}${url.search}`
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (url.username || url.password) {
    const credentials = `${decoded(url.username)}:${decoded(url.password)}`
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`
  }

  const post = async (body: string, signal: AbortSignal): Promise<UpstreamAnswer> => {
    const answer = await pool
      .request({ method: 'POST', path, headers, body, signal })
      .catch((error: unknown) => Promise.reject(unavailable(error, signal)))
    const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = answer.headers
    if (answer.statusCode === 200 && String(type ?? '').includes('json')) {
      const contentLength = typeof length === 'string' ? length : undefined
      const delimited = contentLength !== undefined || encoding !== undefined
      return { body: answer.body, contentLength, delimited }
    }
    await answer.body.dump().catch(() => undefined)
    throw new RpcFailure(rpcCodes.internalError, `The node answered HTTP ${answer.statusCode}.`, {
      status: 502,
    })
  }

  const call: Upstream['call'] = async (method, params, signal) => {
    const answer = await post(callText(method, paramsText(params), '1'), signal)
    const room = memory.room()
    try {
      return await answerResult(answer, { method, room, signal })
    } finally {
      room.empty()
    }
  }

  return {
    post,
    call,
    batch: (calls, signal) => Promise.all(calls.map(([method, params]) => call(method, params, signal))),
    room: () => memory.room(),
    close: () => pool.close(),
  }
}

/**
 * Params as JSON.
 *
 * @throws {@link RpcFailure} -32602 when they are nested too deep: what can be parsed may still be
 */
export function paramsText(params: readonly unknown[]): string {
  try {
    return JSON.stringify(params)
  } catch {
    throw new RpcFailure(rpcCodes.invalidParams, 'The params are nested too deep.')
  }
}

// What is no valid escape stands for itself.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
