import type { CommitmentLevel } from '@fairlead/grpc/geyser'
import { type GeyserFilters, type GeyserNotice, subscribeGeyser } from '@fairlead/grpc/solana'
import type { GeyserClient } from './grpc-network.ts'
import { type Seen, seenIn } from './grpc-update.ts'

/** A subscription that is read as fast as possible, with everything that it has received. */
export interface ReadStream {
  readonly commitment: CommitmentLevel
  readonly kinds: readonly string[]
  readonly seen: readonly Seen[]
  readonly notices: readonly GeyserNotice[]
  /** For each fault: the slot from which the stream resumed, and the latest slot that it had received by then. */
  readonly resumptions: readonly { readonly fromSlot: bigint | undefined; readonly newest: bigint }[]
  /** The latest slot of which it has received updates. */
  readonly newest: bigint
  /** Settles when the stream is closed or fails. */
  readonly ended: Promise<void>
  /** Stops reading until {@link resume}. */
  pause(): void
  resume(): void
  leave(): Promise<void>
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
  const seen: Seen[] = []
  const notices: GeyserNotice[] = []
  const resumptions: { fromSlot: bigint | undefined; newest: bigint }[] = []
  let newest = 0n
  let goOn = () => undefined as void
  let pausing: Promise<void> | undefined
  const updates = subscribeGeyser(client, filters, {
    silentMs,
    reconnect: { initialMs: 50, maxMs: 500 },
    onNotice(notice) {
      notices.push(notice)
      if (notice.kind === 'resumed') resumptions.push({ fromSlot: notice.fromSlot, newest })
    },
  })
  const read = async () => {
    for await (const update of updates) {
      const one = seenIn(update)
      if (!one) continue
      seen.push(one)
      if (one.slot > newest) newest = one.slot
      await pausing
    }
  }
  return {
    commitment: filters.commitment,
    kinds,
    seen,
    notices,
    resumptions,
    get newest() {
      return newest
    },
    ended: read(),
    pause() {
      pausing = new Promise((resolve) => (goOn = resolve))
    },
    resume() {
      goOn()
      pausing = undefined
    },
    leave: async () => void (await updates.return()),
  }
}

/** Returns the filters of one kind of subscription. The kinds alternate with `turn`. */
export function filtersOf(turn: number): Omit<StreamOptions['filters'], 'commitment'> {
  const all = {}
  const own = { filterByCommitment: true }
  const forms = [
    { transactions: { all } },
    { accounts: { all }, slots: { own } },
    { transactions: { all }, entry: { all }, slots: { own } },
    { transactionsStatus: { all }, blocksMeta: { all } },
    { accounts: { all }, transactions: { all }, blocks: { all } },
  ]
  return forms[turn % forms.length] as (typeof forms)[number]
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
