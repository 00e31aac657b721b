import type { RpcRequest } from './types.ts'

const versionKey = '"jsonrpc":'
const idKey = '"id":'
const methodKey = '"method":'
const paramsKey = '"params":'
const maxStringLength = 64
const maxDigits = 15

// Characters that a string outside the params may contain without escapes. Every upstream returns an id of these
// unchanged.
const plainCodes = new Uint8Array(128)
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ .:-') {
  plainCodes[sign.charCodeAt(0)] = 1
}

/**
 * Parses a call in the form that nearly all clients send: an object with the members `jsonrpc`, `id`, `method` and
 * `params` once each, in any order, with at most one space between them.
 *
 * The params are parsed separately. The text before and after them consists of whole members, so the text is
 * unambiguous and no parser can find another method in it.
 *
 * @param text - one call, or anything else
 * @returns undefined for every other text, whether it is a call or not
 */
export function fastParse(text: string): RpcRequest | undefined {
  // No other member contains a bracket.
  let paramsEnd = text.length
  while (paramsEnd > 0 && text.charCodeAt(paramsEnd - 1) !== closeBracket) paramsEnd -= 1
  if (paramsEnd === 0 || text.charCodeAt(0) !== openBrace) return undefined
  const members: Members = { jsonrpc: undefined, id: undefined, method: undefined }
  const beforeParams = readMembersBefore(text, 1, members)
  if (!text.startsWith(paramsKey, beforeParams)) return undefined
  const paramsStart = afterSpace(text, beforeParams + paramsKey.length)
  if (text.charCodeAt(paramsStart) !== openBracket) return undefined
  const end = readMembersAfter(text, paramsEnd, members)
  if (end !== text.length - 1 || text.charCodeAt(end) !== closeBrace) return undefined
  const { jsonrpc, id, method } = members
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

/** Texts of the members other than the params. */
interface Members {
  jsonrpc: string | undefined
  id: string | undefined
  method: string | undefined
}

/** Reads members that are followed by a comma; returns the index of the first member that is not one of these. */
function readMembersBefore(text: string, start: number, members: Members): number {
  let at = start
  for (
    let end = readMember(text, at, members);
    text.charCodeAt(end) === comma;
    end = readMember(text, at, members)
  ) {
    at = afterComma(text, end)
  }
  return at
}

/** Reads members that are preceded by a comma; returns the index after the last one. */
function readMembersAfter(text: string, start: number, members: Members): number {
  let at = start
  while (text.charCodeAt(at) === comma) {
    const end = readMember(text, afterComma(text, at), members)
    if (end < 0) return at
    at = end
  }
  return at
}

/** Reads a member that was not found before; returns the index after it, or -1. */
function readMember(text: string, at: number, members: Members): number {
  if (text.startsWith(methodKey, at)) {
    const start = afterSpace(text, at + methodKey.length)
    const end = members.method === undefined ? endOfValue(text, start) : -1
    if (end > 0) members.method = text.slice(start, end)
    return end
  }
  if (text.startsWith(idKey, at)) {
    const start = afterSpace(text, at + idKey.length)
    const end = members.id === undefined ? endOfValue(text, start) : -1
    if (end > 0) members.id = text.slice(start, end)
    return end
  }
  if (!text.startsWith(versionKey, at)) return -1
  const start = afterSpace(text, at + versionKey.length)
  const end = members.jsonrpc === undefined ? endOfValue(text, start) : -1
  if (end > 0) members.jsonrpc = text.slice(start, end)
  return end
}

/** Returns the index after a plain string or a whole number that begins at `start`, or -1. */
function endOfValue(text: string, start: number): number {
  let at = start
  let code = text.charCodeAt(at)
  if (code === quote) {
    do code = text.charCodeAt(++at)
    while (plainCodes[code] === 1)
    return code === quote && at - start <= maxStringLength + 1 ? at + 1 : -1
  }
  if (code === zero) return at + 1
  while (code >= zero && code <= nine) code = text.charCodeAt(++at)
  return at > start && at - start <= maxDigits ? at : -1
}

function afterComma(text: string, at: number): number {
  return afterSpace(text, at + 1)
}

function afterSpace(text: string, at: number): number {
  return text.charCodeAt(at) === space ? at + 1 : at
}

const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const quote = 0x22
const comma = 0x2c
const space = 0x20
const zero = 0x30
const nine = 0x39
