import { CommitmentLevel, type SlotStatus, type SubscribeRequest } from '@fairlead/grpc/geyser'
import { isLevel } from '../levels.ts'
import type { Update, WrittenAccount } from '../update/update.ts'
import { readAccountFilter } from './account-filter.ts'
import { readBlockFilter, type BlockFilter } from './block-filter.ts'
import { cutAccount } from './cut-account.ts'
import { readDataSlices, type DataSlices } from './data-slices.ts'
import { FilterError } from './filter-error.ts'
import { readSlotFilter } from './slot-filter.ts'
import { readTransactionFilter } from './transaction-filter.ts'

const longestNameBytes = 128

/** The parsed filters of a subscriber. */
export interface StreamFilter {
  readonly commitment: CommitmentLevel
  /** Slot to start the replay from; undefined to receive only new updates. */
  readonly fromSlot: bigint | undefined
  /** Returns the frames of the update for the subscriber; none when no filter matches. */
  framesOf(update: Update): readonly Uint8Array[]
}

/**
 * Parses a request for updates.
 *
 * @param request the request; its ping is ignored here
 * @throws FilterError for an invalid request
 * @see packages/grpc's proto of the service, SubscribeRequest
 */
export function readStreamFilter(request: SubscribeRequest): StreamFilter {
  const { commitment = CommitmentLevel.PROCESSED, fromSlot } = request
  if (!isLevel(commitment)) throw new FilterError('commitment must be PROCESSED, CONFIRMED or FINALIZED')
  const slices = readDataSlices(request.accountsDataSlice)
  const accounts = readEach(request.accounts, 'accounts', readAccountFilter)
  const transactions = readEach(request.transactions, 'transactions', readTransactionFilter)
  const statuses = readEach(request.transactionsStatus, 'transactions_status', readTransactionFilter)
  const blocks = readEach(request.blocks, 'blocks', readBlockFilter)
  const slots = readEach(request.slots, 'slots', (filter) => readSlotFilter(filter, commitment))
  const entryNames = readEach(request.entry, 'entry', () => true).map(({ name }) => name)
  const metaNames = readEach(request.blocksMeta, 'blocks_meta', () => true).map(({ name }) => name)

  return {
    commitment,
    fromSlot,
    framesOf: (update) => {
      switch (update.kind) {
        case 'account':
          return accountFrames(update, accounts, slices)
        case 'transaction':
          return [
            ...framesFor(update.frame, matching(transactions, update.executed)),
            ...framesFor(update.statusFrame, matching(statuses, update.executed)),
          ]
        case 'entry':
          return framesFor(update.frame, entryNames)
        case 'block':
          return blockFrames(update, blocks, slices)
        case 'block-meta':
          return framesFor(update.frame, metaNames)
        case 'slot':
        default:
          return framesFor(update.frame, matching<SlotStatus>(slots, update.status))
      }
    },
  }
}

interface Named<value> {
  readonly name: string
  readonly value: value
}

type UpdateOf<kind extends Update['kind']> = Extract<Update, { kind: kind }>

function readEach<filter, value>(
  filters: Readonly<Record<string, filter>>,
  kind: string,
  read: (filter: filter, field: string) => value,
): readonly Named<value>[] {
  return Object.entries(filters).map(([name, filter]) => {
    if (Buffer.byteLength(name) > longestNameBytes)
      throw new FilterError(`names in ${kind} must have at most ${longestNameBytes} bytes`)
    return { name, value: read(filter, `${kind}.${name}`) }
  })
}

function matching<subject>(
  filters: readonly Named<(subject: subject) => boolean>[],
  subject: subject,
): readonly string[] {
  return filters.filter(({ value }) => value(subject)).map(({ name }) => name)
}

function framesFor(
  frame: { of(names: readonly string[]): Uint8Array },
  names: readonly string[],
): readonly Uint8Array[] {
  return names.length === 0 ? [] : [frame.of(names)]
}

function accountFrames(
  { slot, written, frames }: UpdateOf<'account'>,
  filters: readonly Named<(written: WrittenAccount) => boolean>[],
  slices: DataSlices | undefined,
): readonly Uint8Array[] {
  const names = matching(filters, written)
  if (names.length === 0) return []
  const frame = frames.of(slices?.key ?? '', () => ({
    $case: 'account',
    value: { account: cutAccount(written.info, slices), slot, isStartup: false },
  }))
  return [frame.of(names)]
}

// Each filter includes different parts of a block, so each produces a separate update.
function blockFrames(
  { block, frames }: UpdateOf<'block'>,
  filters: readonly Named<BlockFilter>[],
  slices: DataSlices | undefined,
): readonly Uint8Array[] {
  return filters.map(({ name, value }) =>
    frames
      .of(`${value.key} ${slices?.key ?? ''}`, () => ({ $case: 'block', value: value.select(block, slices) }))
      .of([name]),
  )
}
