import { Cell } from '@ton/core'
import { isRecord } from '@fairlead/gateway-core/json'

// Parsing cells takes much longer than parsing text. A large payload costs its sender only a few fees, but must not
// block the event loop.
const maxPayloadLength = 16_384

/**
 * Returns the text in the custom payload of a burn (TEP-74).
 *
 * @param decoded - the payload as the indexer decoded it, if it did
 * @param payload - the payload as a bag of cells in base64, if there is one
 * @returns the text; empty when there is no payload, when the payload is not a text comment, and when the indexer did
 * not decode it and it is too long to parse here
 */
export function burnComment(decoded: unknown, payload: unknown): string {
  if (isRecord(decoded) && decoded['@type'] === 'text_comment' && typeof decoded['comment'] === 'string') {
    return decoded['comment']
  }
  return typeof payload === 'string' && payload.length <= maxPayloadLength ? textComment(payload) : ''
}

// Anyone can burn with any payload, so a payload that is not a comment is not an error.
function textComment(payload: string): string {
  try {
    const slice = Cell.fromBase64(payload).beginParse()
    return slice.loadUint(32) === 0 ? slice.loadStringTail() : ''
  } catch {
    return ''
  }
}
