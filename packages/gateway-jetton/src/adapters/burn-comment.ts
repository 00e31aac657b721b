import { Cell } from '@ton/core'
import { isRecord } from '@fairlead/gateway-core/json'

// Reading cells takes much longer than reading text: what a few fees make somebody write must not stop everybody.
const maxPayloadLength = 16_384

/**
 * The text that a burn carries in its custom payload (TEP-74).
 *
 * @param decoded - the payload as the indexer understood it, if it did
 * @param payload - the payload as a bag of cells in base64, if there is one
 * @returns the text; empty without one, for a payload that is something else, and for one that the indexer did not
 * understand and that is too long to be read here
 */
export function burnComment(decoded: unknown, payload: unknown): string {
  if (isRecord(decoded) && decoded['@type'] === 'text_comment' && typeof decoded['comment'] === 'string') {
    return decoded['comment']
  }
  return typeof payload === 'string' && payload.length <= maxPayloadLength ? textComment(payload) : ''
}

// Anybody can burn with any payload: what is no comment is not an error.
function textComment(payload: string): string {
  try {
    const slice = Cell.fromBase64(payload).beginParse()
    return slice.loadUint(32) === 0 ? slice.loadStringTail() : ''
  } catch {
    return ''
  }
}
