import type { SubscribeUpdateAccountInfo } from '@fairlead/grpc/geyser'
import type { DataSlices } from './data-slices.ts'

/** Returns an account with only the requested parts of its data. */
export function cutAccount(
  account: SubscribeUpdateAccountInfo,
  slices: DataSlices | undefined,
): SubscribeUpdateAccountInfo {
  return slices === undefined ? account : { ...account, data: slices.slice(account.data) }
}
