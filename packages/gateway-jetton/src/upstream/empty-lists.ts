import type { CancellationSignal } from '@fairlead/runtime'
import { isRecord } from '@fairlead/gateway-core/json'
import { jsonMembers } from '@fairlead/gateway-core/json-rpc/json-parts'
import type { BufferedResponse, StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { unreachable } from '@fairlead/gateway-core/rest/rest-upstream'
import { mediaType } from '@fairlead/gateway-core/rest/media-type'

// A response without rows is shorter than this.
const maxBytes = 4_096

/** Where a response holds lists. */
export interface Lists {
  /** Whether the response itself is a list. */
  readonly isList: boolean
  readonly keys: readonly string[]
}

/**
 * Replaces `null` with an empty list where an upstream returns `null` for an empty list, as an index does. Only a short
 * response can be without rows; a longer one streams through.
 *
 * @param response - unread response
 * @param lists - where the contract has lists
 * @param signal - signal of the exchange
 * @throws RestError 502 or 504 when the response is interrupted
 */
export async function withEmptyLists(
  response: StreamedResponse,
  lists: Lists,
  signal: CancellationSignal,
): Promise<StreamedResponse | BufferedResponse> {
  const { status, headers, body } = response
  const isJson = mediaType(headers['content-type'] ?? '') === 'application/json'
  if ((!lists.isList && lists.keys.length === 0) || !isJson || headers['content-encoding']) return response
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) break
    }
  } catch (error) {
    throw unreachable(error, signal)
  }
  const bytes = Buffer.concat(chunks)
  if (length > maxBytes) {
    body.unshift(bytes)
    return response
  }
  const { 'content-length': _, ...headersWithoutLength } = headers
  const text = bytes.toString('utf8')
  const withLists = nullToEmptyLists(text, lists)
  return { status, headers: headersWithoutLength, bytes: withLists === text ? bytes : Buffer.from(withLists) }
}

function nullToEmptyLists(text: string, { isList, keys }: Lists): string {
  if (isList) return text.trim() === 'null' ? '[]' : text
  if (!/:\s*null\b/.test(text) || !isObjectText(text)) return text
  const members = [...jsonMembers(text)].map(([key, value]) => {
    const isEmptyList = value === 'null' && keys.includes(key)
    return `${JSON.stringify(key)}:${isEmptyList ? '[]' : value}`
  })
  return `{${members.join(',')}}`
}

function isObjectText(text: string): boolean {
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}
