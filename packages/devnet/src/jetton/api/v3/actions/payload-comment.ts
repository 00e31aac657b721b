import { readBoc } from '../../cells/bag-of-cells.ts'
import { readComment } from '../../cells/comment.ts'

/** Reads the comment of a payload in base64; an encrypted one stays in base64. */
export function readPayloadComment(payload: string | undefined) {
  const cell = payload === undefined ? undefined : readBoc(payload)
  const comment = cell === undefined ? undefined : readComment(cell)
  if (comment === undefined) return undefined
  const { encrypted, bytes } = comment
  return { encrypted, text: bytes.toString(encrypted ? 'base64' : 'utf8') }
}
