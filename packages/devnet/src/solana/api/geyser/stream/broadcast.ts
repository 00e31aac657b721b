import { CommitmentLevel } from '@fairlead/grpc/geyser'
import type { ChainEvent, SolanaChain } from '../../../chain/solana-chain.ts'
import { levelOfStatus, levels } from '../levels.ts'
import { beginningUpdates, blockUpdates, contentUpdates, replayedUpdates } from '../update/slot-updates.ts'
import {
  accountUpdate,
  entryUpdate,
  slotUpdate,
  transactionUpdate,
  viewAccount,
  viewTransaction,
  type Update,
} from '../update/update.ts'

/** A receiver of updates. */
export interface Listener {
  /** Commitment level of the content; slot statuses of all levels are sent. Undefined for no updates at all. */
  readonly commitment: CommitmentLevel | undefined
  onUpdate(update: Update): void
}

/** Distributes the updates of a chain, at each commitment level. */
export interface Broadcast {
  /** Starts to send updates to a listener; returns a function that removes the listener. */
  join(listener: Listener): () => void
  /** Ends the subscription to the chain. */
  close(): void
}

/** Starts to distribute the updates of a chain; all listeners receive the same update object. */
export function createBroadcast(chain: SolanaChain): Broadcast {
  const listeners = new Set<Listener>()
  const send = (level: CommitmentLevel, updates: Iterable<Update>): void => {
    const audience = [...listeners].filter(({ commitment }) => commitment === level)
    if (audience.length === 0) return
    for (const update of updates) for (const listener of audience) listener.onUpdate(update)
  }
  const sendToAll = (update: Update): void => {
    for (const listener of listeners) if (listener.commitment !== undefined) listener.onUpdate(update)
  }
  const stop = chain.listen((event) => {
    if (event.kind !== 'status') {
      send(CommitmentLevel.PROCESSED, processedUpdates(event))
      return
    }
    const { slot, parent, status } = event
    const level = levelOfStatus.get(status)
    // The streams of the lowest level received the content while the slot was produced.
    if (level !== undefined && level !== CommitmentLevel.PROCESSED) {
      const [content] = chain.slotsFrom(slot, level)
      if (content?.slot === slot) send(level, contentUpdates(content, level))
    }
    sendToAll(slotUpdate(slot, parent, status))
  })
  return {
    join: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => {
      stop()
      listeners.clear()
    },
  }
}

/**
 * Returns the updates of a stream from a slot until now.
 *
 * The chain reports its changes in the event-loop tick in which they occur. A caller that starts to listen in the same
 * tick as this call misses no update and receives none twice.
 *
 * @param fromSlot the first slot
 * @param commitment level of the stream
 * @returns the updates, each created on demand
 */
export function replayUpdates(
  chain: SolanaChain,
  fromSlot: bigint,
  commitment: CommitmentLevel,
): Iterable<Update> {
  const levelOfSlot = new Map(
    levels.flatMap((level) => chain.slotsFrom(fromSlot, level).map(({ slot }) => [slot, level] as const)),
  )
  const slots = chain.slotsFrom(fromSlot, CommitmentLevel.PROCESSED)
  const { pendingSlot } = chain
  const includesPending = commitment === CommitmentLevel.PROCESSED && pendingSlot.slot >= fromSlot
  // The lists of the slot in progress still grow.
  const pendingUpdates = includesPending ? [...beginningUpdates(pendingSlot)] : []
  return (function* () {
    for (const content of slots)
      yield* replayedUpdates(content, levelOfSlot.get(content.slot) ?? CommitmentLevel.PROCESSED, commitment)
    yield* pendingUpdates
  })()
}

function* processedUpdates(event: Exclude<ChainEvent, { kind: 'status' }>): Generator<Update> {
  if (event.kind === 'slot-made') yield* blockUpdates(event.content)
  if (event.kind === 'entry') yield entryUpdate(event.entry)
  if (event.kind === 'accounts' || event.kind === 'transaction')
    for (const account of event.accounts) yield accountUpdate(event.slot, viewAccount(account))
  if (event.kind === 'transaction') yield transactionUpdate(event.slot, viewTransaction(event.transaction))
}
