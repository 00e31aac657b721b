import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/** The slots of an account; go-ethereum has null for those of an account without any. */
export const debugStorageRangeAt: Adapter = {
  // Longer than the result without slots.
  mendsUpTo: 256,
  mend: (range) => (isRecord(range) && range['storage'] === null ? { ...range, storage: {} } : range),
}
