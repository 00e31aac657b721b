import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import { Buffer } from 'node:buffer'
import type { CancellationSignal } from '@fairlead/http1'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import { jsonMembers } from '@fairlead/gateway-core/json-rpc/json-parts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { errorObjectText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { redactDeep, redactJsonDeep } from '@fairlead/gateway-core/redaction/redact-deep'
import { normalizeError, type NodeError } from './upstream-errors.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { toRpcError, malformed } from './rpc-errors.ts'
import { unavailable } from '@fairlead/gateway-core/upstream/upstream-error'
import type { RpcResponse } from '../rpc-response.ts'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'

/**
 * Reads a node's answer to its end.
 *
 * @param answer - not yet read
 * @param reservation - holds what is kept
 * @param signal - what the exchange runs under
 * @throws {@link MemoryLimitError} when there is no memory left, else as {@link Upstream.post}
 */
export async function readResponse(
  answer: UpstreamResponse,
  reservation: Reservation,
  signal: CancellationSignal,
): Promise<string> {
  return (await readBytes(answer, reservation, signal)).toString('utf8')
}

/** As {@link readResponse}. */
export async function readBytes(
  answer: UpstreamResponse,
  reservation: Reservation,
  signal: CancellationSignal,
): Promise<Buffer> {
  const { bytes } = answer
  if (bytes) {
    reservation.take(bytes.length)
    return bytes
  }
  let length = 0
  try {
    return await collectBody(answer.body, (added) => {
      reservation.take(added)
      length += added
    })
  } catch (error) {
    // What is not kept makes room for the other answers.
    reservation.shrink(length)
    throw toRpcError(error) ? error : unavailable(error, signal)
  }
}

/**
 * The text of an answer that is at hand, where it can be passed on as it is: a result under the id that was asked with.
 *
 * @param idText - that any node gives back as it is
 * @returns undefined for every other answer
 */
export function tryPassThrough(answer: UpstreamResponse, idText: string): string | undefined {
  const { latin1 } = answer
  // In UTF-8, only what is ASCII has a byte for each character.
  if (latin1 === undefined || Buffer.byteLength(latin1) !== latin1.length) return undefined
  try {
    const value: unknown = answer.value ?? JSON.parse(latin1)
    if (!isRecord(value) || value['result'] === undefined || value['error'] !== undefined) return undefined
    return value['jsonrpc'] === '2.0' && JSON.stringify(value['id']) === idText ? latin1 : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads a node's answer to its end and puts it under another id. A result stays as the node wrote it, an error as far as
 * it needs no mending.
 *
 * @throws {@link UpstreamError} with status 502 when it is no JSON-RPC response, else as {@link readResponse}
 */
export async function readUnderId(
  answer: UpstreamResponse,
  { method, idText, reservation, signal }: Reading & { readonly idText: string },
): Promise<string> {
  const plain = toRpcResponse(await readResponse(answer, reservation, signal), method, answer.secrets)
  return 'error' in plain ? errorObjectText(idText, plain.error) : resultText(idText, plain.result)
}

/**
 * Takes a node's answer out of its envelope. A result stays as the node wrote it, an error as far as it needs no
 * mending.
 *
 * @param text - the whole answer
 * @param method - what the node was asked for
 * @param secrets - what an error may not tell
 * @throws {@link UpstreamError} with status 502 when it is no JSON-RPC response
 */
export function toRpcResponse(text: string, method: string, secrets: readonly string[] = []): RpcResponse {
  const value = parseAnswer(text)
  if (!isRecord(value)) throw malformed()
  const members = jsonMembers(text)
  const { error } = value
  if (isRecord(error)) {
    const written = asNodeError(error)
    const mended = normalizeError(written, method)
    const own = members.get('error') as string
    const isFit = mended === written && redactDeep(own, secrets) === own
    return { error: isFit ? own : JSON.stringify(redactJsonDeep(mended, secrets)) }
  }
  const result = members.get('result')
  if (result === undefined) throw malformed()
  return { result }
}

/**
 * Reads a node's answer to its end and parses it.
 *
 * @returns the result
 * @throws {@link RpcError} with the node's error, else as {@link readUnderId}
 */
export async function readResult(
  answer: UpstreamResponse,
  { method, reservation, signal }: Reading,
): Promise<unknown> {
  const value = parseAnswer(await readResponse(answer, reservation, signal))
  if (!isRecord(value)) throw malformed()
  const { error, result } = value
  if (isRecord(error)) {
    const { code, message, data } = redactJsonDeep(
      normalizeError(asNodeError(error), method),
      answer.secrets ?? [],
    )
    throw new RpcError(code, message, { data })
  }
  if (result === undefined) throw malformed()
  return result
}

/** How an answer is to be read. */
interface Reading {
  /** What the node was asked for. */
  readonly method: string
  /** Holds what is kept. */
  readonly reservation: Reservation
  /** What the exchange runs under. */
  readonly signal: CancellationSignal
}

function asNodeError({ code, message, data }: Readonly<Record<string, unknown>>): NodeError {
  return {
    code: typeof code === 'number' ? code : rpcCodes.internalError,
    message: typeof message === 'string' ? message : 'The node answered an error.',
    ...(data !== undefined && { data }),
  }
}

/** @throws {@link UpstreamError} with status 502 when the text is not JSON */
function parseAnswer(text: string): unknown {
  const value = parseJson(text)
  if (value === undefined) throw malformed()
  return value
}
