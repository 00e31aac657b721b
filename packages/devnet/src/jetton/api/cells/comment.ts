import type { Cell, Slice } from '@ton/core'

const textOpcode = 0x00000000
const encryptedTextOpcode = 0x2167da4b

/** The text in a message in addition to its coins. */
export interface Comment {
  readonly encrypted: boolean
  /** UTF-8, or the bytes of the encrypted text. */
  readonly bytes: Buffer
}

/**
 * Reads the comment of a message body: 32 zero bits and the text, which continues in the first reference of each cell;
 * an encrypted comment starts with 0x2167da4b.
 *
 * @param body body of a message
 * @returns the comment, or undefined for a body without one
 */
export function readComment(body: Cell): Comment | undefined {
  if (body.isExotic || body.bits.length < 32) return undefined
  const slice = body.beginParse()
  const opcode = slice.loadUint(32)
  if (opcode !== textOpcode && opcode !== encryptedTextOpcode) return undefined
  const bytes = readSnake(slice)
  return bytes === undefined ? undefined : { encrypted: opcode === encryptedTextOpcode, bytes }
}

function readSnake(start: Slice): Buffer | undefined {
  const parts: Buffer[] = []
  for (let slice = start; ;) {
    if (slice.remainingBits % 8 !== 0) return undefined
    parts.push(slice.loadBuffer(slice.remainingBits / 8))
    if (slice.remainingRefs === 0) return Buffer.concat(parts)
    const next = slice.loadRef()
    if (next.isExotic) return undefined
    slice = next.beginParse()
  }
}
