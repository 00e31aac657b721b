import { FairleadError } from '@fairlead/core'
import type { SubscribeUpdate, SubscribeUpdateBlockMeta } from '../../generated/geyser.ts'
import type { GeyserCallOptions, GeyserCalls } from './connection.ts'
import { type Fault, firstAvailableSlot, isOutOfRange, replayRefusal } from './fault.ts'
import type { GeyserNotice } from './notice.ts'
import type { GeyserSubscriptionOptions } from './options.ts'
import type { SlotTracker } from './slot-tracker.ts'
import { slotOf } from './update-key.ts'

/** Decides the slot to replay from, and determines the gap when replay is not possible. */
export interface ReplayPlan {
  /** Handles a failed call; `arrived` is true if it delivered any update. */
  handleFault(fault: Fault, arrived: boolean, options: GeyserCallOptions): Promise<'at-once' | 'later'>
  /** Returns the gap that the first update of a new call reveals, or its first block. */
  gapBefore(update: SubscribeUpdate): Extract<GeyserNotice, { kind: 'gap' }> | undefined
}

// A node that has just started rejects replays for a while; by then the delays add up to about a minute.
const maxRefusals = 10
// The server drops its oldest slots while a call for them is in transit.
const marginSlots = 4n

export function createReplayPlan(
  calls: Pick<GeyserCalls, 'subscribeReplayInfo'>,
  tracker: SlotTracker,
  { onGap = 'error', replay = true }: Pick<GeyserSubscriptionOptions, 'onGap' | 'replay'>,
): ReplayPlan {
  let missingFrom: bigint | undefined
  // Whether it is still unverified that the first block of the call follows the delivered ones.
  let unchecked = true
  let refusals = 0
  let misses = 0n

  const startGap = (from: bigint) => {
    // The checkpoint itself was delivered.
    missingFrom ??= tracker.checkpoint?.slot === String(from) ? from + 1n : from
  }
  const abandonReplay = (from: bigint, first: bigint | undefined, reason: string) => {
    if (onGap === 'error') {
      const available = first === undefined ? {} : { firstAvailableSlot: String(first) }
      throw new FairleadError('STREAM_GAP', { operation: 'subscribeGeyser', reason, ...available })
    }
    startGap(from)
    tracker.startAt(first)
  }

  const checkFirst = ({ slot, parentSlot }: SubscribeUpdateBlockMeta) => {
    const { latestBlock, resumeSlot } = tracker
    if (resumeSlot !== undefined && slot < resumeSlot) return
    unchecked = false
    if (latestBlock === undefined || parentSlot <= latestBlock) return
    abandonReplay(latestBlock + 1n, slot, `the server has left out slot ${parentSlot}`)
  }

  return {
    async handleFault(fault, arrived, options) {
      unchecked = true
      const from = tracker.resumeSlot
      if (arrived) {
        refusals = 0
        misses = 0n
      }
      if (from === undefined) return 'later'
      if (!replay) {
        startGap(from)
        tracker.startAt(undefined)
        return 'later'
      }
      const isTooOld = isOutOfRange(fault)
      const first = isTooOld
        ? (firstAvailableSlot(fault) ?? (await queryFirstAvailable(calls, options)))
        : undefined
      // A node that lags does not have the slot yet.
      const isTooNew = first !== undefined && first <= from
      if (isTooOld && !isTooNew) {
        const start = first === undefined ? undefined : first + marginSlots * misses++
        abandonReplay(from, start, `the server no longer has slot ${from}`)
        return misses === 1n ? 'at-once' : 'later'
      }
      const refusal = isTooNew ? 'not-now' : replayRefusal(fault)
      if (!refusal || arrived) return 'later'
      refusals++
      if (refusal === 'never') abandonReplay(from, undefined, 'the server does not replay slots')
      else if (refusals >= maxRefusals)
        abandonReplay(from, undefined, `the server cannot replay slot ${from}`)
      return 'later'
    },
    gapBefore(update) {
      if (unchecked && update.updateOneof?.$case === 'blockMeta') checkFirst(update.updateOneof.value)
      const slot = slotOf(update)
      if (missingFrom === undefined || slot === undefined || update.updateOneof?.$case === 'slot')
        return undefined
      const from = missingFrom
      missingFrom = undefined
      // Live updates may begin in the middle of a slot.
      const to = tracker.resumeSlot === undefined ? slot : tracker.resumeSlot - 1n
      return from <= to ? { kind: 'gap', from, to } : undefined
    },
  }
}

async function queryFirstAvailable(
  calls: Pick<GeyserCalls, 'subscribeReplayInfo'>,
  options: GeyserCallOptions,
): Promise<bigint | undefined> {
  try {
    return (await calls.subscribeReplayInfo({}, options)).firstAvailable
  } catch {
    options.signal.throwIfAborted()
    // Not every server supports this call; without a response the stream continues live.
    return undefined
  }
}
