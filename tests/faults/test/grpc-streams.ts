import type { CommitmentLevel } from '@fairlead/grpc/geyser'
import { type GeyserFilters, type GeyserNotice, subscribeGeyser } from '@fairlead/grpc/solana'
import type { GeyserClient } from './grpc-network.ts'
import { type ReceivedItem, itemOf } from './grpc-update.ts'

/** A subscription that is read as fast as possible, with everything that it has received. */
export interface ReadStream {
  readonly commitment: CommitmentLevel
  readonly kinds: readonly string[]
  readonly received: readonly ReceivedItem[]
  readonly notices: readonly GeyserNotice[]
  /** For each fault: the slot from which the stream resumed, and the latest slot that it had received by then. */
  readonly resumptions: readonly { readonly fromSlot: bigint | undefined; readonly latest: bigint }[]
  /** The latest slot of which it has received updates. */
  readonly latest: bigint
  /** Settles when the stream is closed or fails. */
  readonly done: Promise<void>
  /** Stops reading until {@link resume}. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

export interface StreamOptions {
  readonly filters: GeyserFilters & { readonly commitment: CommitmentLevel }
  readonly kinds: readonly string[]
  readonly silentMs?: number
}

/** Opens a stream and reads it until it is closed. */
export function readStream(
  client: GeyserClient,
  { filters, kinds, silentMs = 60_000 }: StreamOptions,
): ReadStream {
  const received: ReceivedItem[] = []
  const notices: GeyserNotice[] = []
  const resumptions: { fromSlot: bigint | undefined; latest: bigint }[] = []
  let latest = 0n
  let continueReading = () => undefined as void
  let pausing: Promise<void> | undefined
  const updates = subscribeGeyser(client, filters, {
    silentMs,
    reconnect: { initialMs: 50, maxMs: 500 },
    onNotice(notice) {
      notices.push(notice)
      if (notice.kind === 'resumed') resumptions.push({ fromSlot: notice.fromSlot, latest })
    },
  })
  const read = async () => {
    for await (const update of updates) {
      const item = itemOf(update)
      if (!item) continue
      received.push(item)
      if (item.slot > latest) latest = item.slot
      await pausing
    }
  }
  return {
    commitment: filters.commitment,
    kinds,
    received,
    notices,
    resumptions,
    get latest() {
      return latest
    },
    done: read(),
    pause() {
      pausing = new Promise((resolve) => (continueReading = resolve))
    },
    resume() {
      continueReading()
      pausing = undefined
    },
    close: async () => void (await updates.return()),
  }
}

/** Returns the filters of one kind of subscription. The kinds alternate with `index`. */
export function filtersOf(index: number): Omit<StreamOptions['filters'], 'commitment'> {
  const all = {}
  const byCommitment = { filterByCommitment: true }
  const forms = [
    { transactions: { all } },
    { accounts: { all }, slots: { byCommitment } },
    { transactions: { all }, entry: { all }, slots: { byCommitment } },
    { transactionsStatus: { all }, blocksMeta: { all } },
    { accounts: { all }, transactions: { all }, blocks: { all } },
  ]
  return forms[index % forms.length] as (typeof forms)[number]
}

/** The kinds of updates that filters deliver. */
export function kindsOf(filters: GeyserFilters): string[] {
  const kinds = {
    accounts: 'account',
    slots: 'slot',
    transactions: 'transaction',
    transactionsStatus: 'transactionStatus',
    blocks: 'block',
    blocksMeta: 'blockMeta',
    entry: 'entry',
  }
  return Object.keys(filters).flatMap((name) => kinds[name as keyof typeof kinds] ?? [])
}
