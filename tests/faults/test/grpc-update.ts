import type { SubscribeUpdate } from '@fairlead/grpc/geyser'

/** One update, with an identity that is unique within its commitment level. */
export interface ReceivedItem {
  readonly kind: string
  readonly slot: bigint
  readonly id: string
}

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex')

/** Returns the identity of an update. Undefined for pings and pongs. */
export function itemOf({ updateOneof }: Pick<SubscribeUpdate, 'updateOneof'>): ReceivedItem | undefined {
  if (!updateOneof || updateOneof.$case === 'ping' || updateOneof.$case === 'pong') return undefined
  const { $case: kind, value } = updateOneof
  return { kind, slot: value.slot, id: `${kind} ${value.slot} ${partsOf(updateOneof).join(' ')}` }
}

function partsOf(update: NonNullable<SubscribeUpdate['updateOneof']>): unknown[] {
  switch (update.$case) {
    case 'account': {
      const { account } = update.value
      return [hex(account?.pubkey), account?.writeVersion, account?.lamports, hex(account?.txnSignature)]
    }
    case 'transaction':
      return [update.value.transaction?.index, hex(update.value.transaction?.signature)]
    case 'transactionStatus':
      return [update.value.index, hex(update.value.signature)]
    case 'slot':
      return [update.value.status, update.value.parent]
    case 'block':
      return [update.value.blockhash, update.value.transactions.length]
    case 'blockMeta':
      return [update.value.blockhash, update.value.executedTransactionCount]
    case 'entry':
      return [update.value.index, hex(update.value.hash)]
    case 'ping':
    case 'pong':
  }
  return []
}
