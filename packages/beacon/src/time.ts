import { FairleadError } from '@fairlead/core'

/** The epoch that never occurs. Fields without an exit, a withdrawal or an activation have this value. */
export const FAR_FUTURE_EPOCH: bigint = 2n ** 64n - 1n

/** Converts wall-clock time to slots and epochs, and back. */
export interface BeaconClock {
  /** The slot of a time; 0 before genesis. */
  slotAt(time?: Date): bigint
  /** The epoch of a time; 0 before genesis. */
  epochAt(time?: Date): bigint
  /** The epoch of a slot. */
  epochOf(slot: bigint): bigint
  /** The first slot of an epoch. */
  firstSlotOf(epoch: bigint): bigint
  /** The start time of a slot. */
  timeOf(slot: bigint): Date
}

/**
 * Creates the clock of a chain.
 *
 * @param genesis - `data` of `GET /eth/v1/beacon/genesis`; only `genesis_time` (seconds, decimal) is read
 * @param spec - `data` of `GET /eth/v1/config/spec`; `SLOT_DURATION_MS`, or `SECONDS_PER_SLOT` of older nodes, and
 *   `SLOTS_PER_EPOCH` are read
 * @returns functions whose slots and epochs are bigint; a time left out is now
 * @throws FairleadError `DECODE_INVALID` naming the field that is missing or not a number
 * @example
 * ```ts
 * const clock = beaconClock({ genesis_time: '1606824023' }, { SECONDS_PER_SLOT: '12', SLOTS_PER_EPOCH: '32' })
 * clock.timeOf(1n) // 2020-12-01T12:00:35.000Z
 * ```
 * @see consensus-specs phase0/beacon-chain.md, compute_epoch_at_slot; phase0/fork-choice.md, get_current_slot
 */
export function beaconClock(
  genesis: { readonly genesis_time: string },
  spec: Readonly<Record<string, unknown>>,
): BeaconClock {
  const genesisMs = integer('genesis_time', genesis.genesis_time) * 1_000n
  const slotMs =
    'SLOT_DURATION_MS' in spec
      ? integer('SLOT_DURATION_MS', spec['SLOT_DURATION_MS'])
      : integer('SECONDS_PER_SLOT', spec['SECONDS_PER_SLOT']) * 1_000n
  const slotsPerEpoch = integer('SLOTS_PER_EPOCH', spec['SLOTS_PER_EPOCH'])
  const slotAt = (time = new Date()): bigint => {
    const elapsedMs = BigInt(time.getTime()) - genesisMs
    return elapsedMs > 0n ? elapsedMs / slotMs : 0n
  }
  return {
    slotAt,
    epochAt: (time) => slotAt(time) / slotsPerEpoch,
    epochOf: (slot) => slot / slotsPerEpoch,
    firstSlotOf: (epoch) => epoch * slotsPerEpoch,
    timeOf: (slot) => new Date(Number(genesisMs + slot * slotMs)),
  }
}

function integer(field: string, value: unknown): bigint {
  if (typeof value === 'string' && /^\d+$/.test(value) && (field === 'genesis_time' || BigInt(value) > 0n)) {
    return BigInt(value)
  }
  const rule = 'must be a decimal integer above 0'
  throw new FairleadError('DECODE_INVALID', { operation: 'beaconClock', path: field, rule })
}
