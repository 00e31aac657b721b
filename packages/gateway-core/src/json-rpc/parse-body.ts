import { Buffer, isAscii } from 'node:buffer'
import { bodyLimits, exceededLimit } from '../json-depth.ts'
import { arrayParts, jsonMembers } from './json-parts.ts'
import { fastParse } from './fast-parse.ts'
import { RpcError, jsonRpcCodes } from './rpc-error.ts'
import type { RpcItem } from './types.ts'

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
    throw notJson
  }
}

// Hostile input must cost no stack trace: the errors that it causes are created once.
const notJson = new RpcError(jsonRpcCodes.parseError, 'The body is not valid JSON in UTF-8.')
const emptyBatch = new RpcError(jsonRpcCodes.invalidRequest, 'A batch must contain at least one call.')

const exceeded = {
  maxDepth: new RpcError(
    jsonRpcCodes.invalidRequest,
    `The body must have at most ${bodyLimits.maxDepth} levels of arrays and objects.`,
    { data: { max_depth: bodyLimits.maxDepth } },
  ),
  maxValues: new RpcError(
    jsonRpcCodes.invalidRequest,
    `The body must have at most ${bodyLimits.maxValues} values in arrays and objects.`,
    { data: { max_values: bodyLimits.maxValues } },
  ),
}

// A shorter text exceeds no limit in a way that costs time.
const unlimitedLength = 1_024

function parseText(text: string, maxBatchItems: number): RpcBody {
  const limit = text.length > unlimitedLength ? exceededLimit(text, bodyLimits) : undefined
  if (limit) throw exceeded[limit]
  const ordinary = fastParse(text)
  if (ordinary) return { batch: false, items: [ordinary] }
  const texts = arrayParts(text, maxBatchItems)
  if (!texts) return { batch: false, items: [parseItem(text)] }
  if (texts.length === 0) throw emptyBatch
  if (texts.length > maxBatchItems) throw tooLong(maxBatchItems)
  return { batch: true, items: texts.map((each) => fastParse(each) ?? parseItem(each)) }
}

function tooLong(maxBatchItems: number): RpcError {
  return new RpcError(jsonRpcCodes.invalidRequest, `A batch must contain at most ${maxBatchItems} calls.`, {
    data: { max_items: maxBatchItems },
  })
}

/** @throws {@link RpcError} when the text is not JSON */
function parseItem(text: string): RpcItem {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notJson
  }
  return toItem(value, text)
}

// What is wrong with an element, by the rule that it breaks.
const invalid = {
  object: invalidRequest('A call must be an object.'),
  id: invalidRequest('id must be a string, a number, a boolean or null.'),
  jsonrpc: invalidRequest('jsonrpc must be "2.0".'),
  method: invalidRequest('method must be a string.'),
  params: invalidRequest('params must be an array or an object.'),
}

function invalidRequest(message: string): RpcError {
  return new RpcError(jsonRpcCodes.invalidRequest, message)
}

function toItem(value: unknown, text: string): RpcItem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { idText: 'null', failure: invalid.object }
  }
  const { jsonrpc, method, params, id } = value as Record<string, unknown>
  // A boolean id is echoed, as in go-ethereum.
  if (typeof id === 'object' && id !== null) return { idText: 'null', failure: invalid.id }
  const texts = jsonMembers(text)
  const idText = texts.get('id')
  if (jsonrpc !== '2.0') return { idText: idText ?? 'null', failure: invalid.jsonrpc }
  if (typeof method !== 'string') return { idText: idText ?? 'null', failure: invalid.method }
  // Clients in Go and Rust serialize an empty value as null.
  if (params === undefined || params === null) return { method, params: [], paramsText: '[]', idText }
  if (typeof params !== 'object') return { idText: idText ?? 'null', failure: invalid.params }
  const structured = params as readonly unknown[] | Readonly<Record<string, unknown>>
  return { method, params: structured, paramsText: texts.get('params') ?? '[]', idText }
}
