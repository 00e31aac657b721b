import type { SubscribeUpdateAccountInfo } from '@fairlead/grpc/geyser'
import { keyText } from '../key-text.ts'

/** Leaves of the writes of each account the last one, in the order in which they were made. */
export function lastWrites(
  accounts: readonly SubscribeUpdateAccountInfo[],
): readonly SubscribeUpdateAccountInfo[] {
  const last = new Map<string, SubscribeUpdateAccountInfo>()
  for (const account of accounts) {
    const key = keyText(account.pubkey)
    const known = last.get(key)
    if (known === undefined || known.writeVersion < account.writeVersion) last.set(key, account)
  }
  return [...last.values()].toSorted((one, other) => (one.writeVersion < other.writeVersion ? -1 : 1))
}
