import type { Adapter } from './adapter.ts'
import { quantity } from './quantity.ts'

/** Some clients answer a plain number. */
export const ethProtocolVersion: Adapter = { mend: quantity }
