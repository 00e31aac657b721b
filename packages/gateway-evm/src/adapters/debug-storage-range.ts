import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/** Returns the storage slots of an account. go-ethereum returns null for an account without storage. */
export const debugStorageRangeAt: Adapter = {
  // Exceeds the length of a result without slots.
  transformUpTo: 256,
  transformResult: (range) =>
    isRecord(range) && range['storage'] === null ? { ...range, storage: {} } : range,
}
