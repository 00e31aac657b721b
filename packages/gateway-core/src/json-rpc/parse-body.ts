import { Buffer, isAscii } from 'node:buffer'
import { jsonMembers, jsonParts } from './json-parts.ts'
import { fastParse } from './fast-parse.ts'
import { RpcError, jsonRpcCodes } from './rpc-error.ts'
import type { InvalidItem, RpcItem } from './types.ts'

/** A parsed request body: one call or a batch. */
export interface RpcBody {
  readonly batch: boolean
  readonly items: readonly RpcItem[]
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a request body once.
 *
 * @param body - the received bytes
 * @param maxBatchItems - maximum number of calls in a batch
 * @throws {@link RpcError} when the body is not JSON or is an empty batch
 */
export function parseBody(body: Uint8Array, maxBatchItems: number): RpcBody {
  return parseText(textOf(body), maxBatchItems)
}

/**
 * Same as {@link parseBody}, for a string.
 *
 * @param latin1 - one character per byte of the body
 */
export function parseLatin1(latin1: string, maxBatchItems: number): RpcBody {
  // In UTF-8, only ASCII text has one byte per character.
  return Buffer.byteLength(latin1) === latin1.length
    ? parseText(latin1, maxBatchItems)
    : parseBody(Buffer.from(latin1, 'latin1'), maxBatchItems)
}

/** @throws {@link RpcError} when it is not valid UTF-8 */
function textOf(body: Uint8Array): string {
  // Nearly all calls are ASCII, which needs no decoder.
  if (isAscii(body)) return (body instanceof Buffer ? body : Buffer.from(body)).toString('latin1')
  try {
    return decoder.decode(body)
  } catch {
    throw notJson()
  }
}

function notJson(): RpcError {
  return new RpcError(jsonRpcCodes.parseError, 'The body is not valid JSON in UTF-8.')
}

function parseText(text: string, maxBatchItems: number): RpcBody {
  let value: unknown
  try {
    const ordinary = fastParse(text)
    if (ordinary) return { batch: false, items: [ordinary] }
    value = JSON.parse(text)
  } catch {
    throw notJson()
  }
  if (!Array.isArray(value)) return { batch: false, items: [toItem(value, text)] }
  if (value.length === 0)
    throw new RpcError(jsonRpcCodes.invalidRequest, 'A batch must contain at least one call.')
  const texts = jsonParts(text)
  const items = texts.map((each, position) => fastParse(each) ?? toItem(value[position], each))
  return { batch: true, items: items.length <= maxBatchItems ? items : rejectedBatch(items, maxBatchItems) }
}

/** Returns one error for each element with an id, or a single one when there is none. */
function rejectedBatch(items: readonly RpcItem[], maxBatchItems: number): InvalidItem[] {
  const failure = new RpcError(
    jsonRpcCodes.invalidRequest,
    `A batch must contain at most ${maxBatchItems} calls.`,
    {
      data: { max_items: maxBatchItems, items: items.length },
    },
  )
  const failures = items.flatMap(({ idText = 'null' }) => (idText === 'null' ? [] : [{ idText, failure }]))
  return failures.length > 0 ? failures : [{ idText: 'null', failure }]
}

function toItem(value: unknown, text: string): RpcItem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('null', 'A call must be an object.')
  }
  const { jsonrpc, method, params, id } = value as Record<string, unknown>
  // A boolean id is echoed, as in go-ethereum.
  if (typeof id === 'object' && id !== null) {
    return invalid('null', 'id must be a string, a number, a boolean or null.')
  }
  const texts = jsonMembers(text)
  const idText = texts.get('id')
  if (jsonrpc !== '2.0') return invalid(idText, 'jsonrpc must be "2.0".')
  if (typeof method !== 'string') return invalid(idText, 'method must be a string.')
  // Clients in Go and Rust serialize an empty value as null.
  if (params === undefined || params === null) return { method, params: [], paramsText: '[]', idText }
  if (typeof params !== 'object') {
    return invalid(idText, 'params must be an array or an object.')
  }
  const structured = params as readonly unknown[] | Readonly<Record<string, unknown>>
  return { method, params: structured, paramsText: texts.get('params') ?? '[]', idText }
}

function invalid(idText: string | undefined, message: string): InvalidItem {
  return { idText: idText ?? 'null', failure: new RpcError(jsonRpcCodes.invalidRequest, message) }
}
