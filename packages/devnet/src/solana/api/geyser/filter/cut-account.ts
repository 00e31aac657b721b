import type { SubscribeUpdateAccountInfo } from '@fairlead/grpc/geyser'
import type { DataSlices } from './data-slices.ts'

/** Leaves the wanted parts of the data in an account. */
export function cutAccount(
  account: SubscribeUpdateAccountInfo,
  slices: DataSlices | undefined,
): SubscribeUpdateAccountInfo {
  return slices === undefined ? account : { ...account, data: slices.take(account.data) }
}
