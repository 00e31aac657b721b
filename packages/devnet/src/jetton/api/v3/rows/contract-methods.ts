import { Dictionary, type Cell } from '@ton/core'

// The compiler-generated start of a contract: SETCP0, a dictionary of its methods by 19 bits, and a jump into it.
const prologue = 'FF00F4A413F4BCF2C80B'
const methodIdBits = 19

/**
 * Reads the method numbers of a contract, including those of its message handlers.
 *
 * @returns unsigned integers of 19 bits, or null for code with another layout
 */
export function contractMethods(code: Cell | null | undefined): readonly number[] | null {
  const [methods] = code?.refs ?? []
  if (code?.bits.toString() !== prologue || methods === undefined) return null
  const keys = Dictionary.Keys.Uint(methodIdBits)
  try {
    return Dictionary.loadDirect(keys, { serialize: () => {}, parse: () => true }, methods).keys()
  } catch {
    // An account can deploy any data that only resembles a dictionary.
    return null
  }
}
