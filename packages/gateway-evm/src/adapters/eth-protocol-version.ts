import type { Adapter } from './adapter.ts'
import { quantity } from './quantity.ts'

/** Converts the plain number that some execution clients return to a quantity. */
export const ethProtocolVersion: Adapter = { transformResult: quantity }
