import { FairleadError } from '@fairlead/core'

/** Why a call ended. */
export interface Fault {
  readonly error: unknown
  /** gRPC status; undefined when the server sent none. */
  readonly status: number | undefined
  readonly detail: string
  /** Whether another call may succeed. */
  readonly retryable: boolean
}

const outOfRange = 11
const internal = 13
const cancelled = 1
const unknown = 2
const deadlineExceeded = 4
const resourceExhausted = 8
const aborted = 10
const unavailable = 14
const dataLoss = 15
const retryableStatuses = [
  cancelled,
  unknown,
  deadlineExceeded,
  resourceExhausted,
  aborted,
  outOfRange,
  internal,
  unavailable,
  dataLoss,
]

/** Determines why a call failed. */
export function faultOf(error: unknown): Fault {
  if (FairleadError.is(error, 'GRPC_STATUS')) {
    const { status, detail } = error.details
    const retryable = retryableStatuses.includes(status) || isSlotTooOld(detail)
    return { error, status, detail, retryable }
  }
  if (FairleadError.is(error, 'TRANSPORT_FAILED') || FairleadError.is(error, 'TRANSPORT_TIMEOUT')) {
    return { error, status: undefined, detail: error.details.reason, retryable: true }
  }
  return { error, status: undefined, detail: 'the call failed', retryable: false }
}

/** Creates the fault of a call that ended without an error of the server. */
export function localFault(detail: string): Fault {
  const error = new FairleadError('GRPC_STATUS', {
    operation: '/geyser.Geyser/Subscribe',
    status: unavailable,
    detail,
  })
  return { error, status: undefined, detail, retryable: true }
}

/** Returns whether the server reports that it does not have a slot, usually because it is too old. */
export function isOutOfRange({ status, detail }: Fault): boolean {
  return status === outOfRange || isSlotTooOld(detail)
}

/** Extracts the oldest slot of the server from its error message. */
export function firstAvailableSlot({ detail }: Fault): bigint | undefined {
  const slot = /(?:first|last) available(?: slot)?: (\d{1,20})/.exec(detail)?.[1]
  return slot === undefined ? undefined : BigInt(slot)
}

/** Not every server, and no old one, has a dedicated status for it: others use INTERNAL or INVALID_ARGUMENT. */
function isSlotTooOld(detail: string): boolean {
  return /last available: \d|first available slot: \d|failed to get replay position/.test(detail)
}

/** Returns whether the server ended the stream because it was read too slowly. */
export function isLagging({ status, detail }: Fault): boolean {
  return (status === internal || status === resourceExhausted) && detail.includes('lagged')
}

/** Returns whether the server may be unable to replay, and whether that is permanent. */
export function replayRefusal(fault: Fault): 'never' | 'not-now' | undefined {
  if (fault.status !== internal || isLagging(fault)) return undefined
  return fault.detail.includes('from_slot is not supported') ? 'never' : 'not-now'
}
