import { Dictionary, type Cell } from '@ton/core'

// What compilers put in front of a contract: SETCP0, a dictionary of its methods by 19 bits, and a jump into that.
const prologue = 'FF00F4A413F4BCF2C80B'
const methodIdBits = 19

/**
 * Reads the numbers of the methods of a contract, those of its message handlers among them.
 *
 * @returns unsigned integers of 19 bits, or null for code that is laid out in another way
 */
export function contractMethods(code: Cell | null | undefined): readonly number[] | null {
  const [methods] = code?.refs ?? []
  if (code?.bits.toString() !== prologue || methods === undefined) return null
  const keys = Dictionary.Keys.Uint(methodIdBits)
  try {
    return Dictionary.loadDirect(keys, { serialize: () => {}, parse: () => true }, methods).keys()
  } catch {
    // Anybody can deploy what only looks like a dictionary.
    return null
  }
}
