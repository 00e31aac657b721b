import type { Cell } from '@ton/core'

/**
 * Reads the first 32 bits of a message body.
 *
 * @returns an unsigned integer, or undefined for a shorter body
 */
export function readOpcode(body: Cell): number | undefined {
  return body.isExotic || body.bits.length < 32 ? undefined : body.beginParse().loadUint(32)
}
