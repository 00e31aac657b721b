import type { RpcRequest } from './parse-body.ts'

// The members beside the params, written without escapes; an id has a form that every node echoes as it is.
const member = /"(jsonrpc|id|method)": ?("[\w .:-]{0,64}"|0|[1-9]\d{0,14})/y
const paramsKey = /"params": ?(?=\[)/y

/**
 * Reads a call that is written as nearly all clients do: an object with the members `jsonrpc`, `id`, `method` and
 * `params` once each, in any order, with at most one space between them.
 *
 * The params are parsed on their own. What is before and behind them holds whole members, so that there is one way to
 * read the text, and no parser can find another method in it.
 *
 * @param text - one call, or anything else
 * @returns undefined for every other text, be it a call or not
 */
export function readOrdinaryCall(text: string): RpcRequest | undefined {
  // No other member holds a bracket.
  const paramsEnd = text.lastIndexOf(']') + 1
  if (paramsEnd === 0 || text.charCodeAt(0) !== openBrace) return undefined
  const found: Found = { jsonrpc: undefined, id: undefined, method: undefined }
  const beforeParams = readMembersBefore(text, 1, found)
  paramsKey.lastIndex = beforeParams
  if (!paramsKey.test(text)) return undefined
  const paramsStart = paramsKey.lastIndex
  const end = readMembersBehind(text, paramsEnd, found)
  if (end !== text.length - 1 || text.charCodeAt(end) !== closeBrace) return undefined
  const { jsonrpc, id, method } = found
  if (jsonrpc !== '"2.0"' || id === undefined || method === undefined || method.charCodeAt(0) !== quote) {
    return undefined
  }
  const paramsText = text.slice(paramsStart, paramsEnd)
  try {
    const params = JSON.parse(paramsText) as readonly unknown[]
    return { method: method.slice(1, -1), params, paramsText, idText: id }
  } catch {
    return undefined
  }
}

/** Texts of the members beside the params. */
interface Found {
  jsonrpc: string | undefined
  id: string | undefined
  method: string | undefined
}

/** Reads members with a comma behind each; gives the place of the first that is none of those that are looked for. */
function readMembersBefore(text: string, start: number, found: Found): number {
  let at = start
  for (
    let end = readMember(text, at, found);
    text.charCodeAt(end) === comma;
    end = readMember(text, at, found)
  ) {
    at = behindComma(text, end)
  }
  return at
}

/** Reads members with a comma before each; gives the place behind the last one. */
function readMembersBehind(text: string, start: number, found: Found): number {
  let at = start
  while (text.charCodeAt(at) === comma) {
    const end = readMember(text, behindComma(text, at), found)
    if (end < 0) return at
    at = end
  }
  return at
}

/** Reads a member that was not found before; gives the place behind it, or -1. */
function readMember(text: string, at: number, found: Found): number {
  member.lastIndex = at
  const [, key, value] = member.exec(text) ?? []
  if (key === undefined || found[key as keyof Found] !== undefined) return -1
  found[key as keyof Found] = value
  return member.lastIndex
}

function behindComma(text: string, at: number): number {
  return text.charCodeAt(at + 1) === space ? at + 2 : at + 1
}

const [openBrace, closeBrace, quote, comma, space] = [0x7b, 0x7d, 0x22, 0x2c, 0x20]
