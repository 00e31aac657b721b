import type { Address, Cell, Slice } from '@ton/core'

/** Operation codes of TEP-74. */
export const jettonOperations = {
  transfer: 0x0f8a7ea5,
  internalTransfer: 0x178d4519,
  transferNotification: 0x7362d09c,
  burn: 0x595f07bc,
  burnNotification: 0x7bdd97de,
  excesses: 0xd53276db,
} as const

/** `transfer` of TEP-74. */
export interface TransferMessage {
  readonly queryId: bigint
  readonly amount: bigint
  readonly destination: Address | null
  readonly responseDestination: Address | null
  readonly customPayload: Cell | null
  readonly forwardAmount: bigint
  readonly forwardPayload: Cell | null
}

/** `burn` of TEP-74. */
export interface BurnMessage {
  readonly queryId: bigint
  readonly amount: bigint
  readonly responseDestination: Address | null
  readonly customPayload: Cell | null
}

/** The common part of `internal_transfer` of TEP-74, which every wallet sends in the same form. */
export interface InternalTransferMessage {
  readonly queryId: bigint
  readonly amount: bigint
}

/** Reads the operation code of a body; returns undefined when it has none. */
export function operationOf(body: Cell): number | undefined {
  const slice = body.beginParse()
  return slice.remainingBits < 32 ? undefined : slice.loadUint(32)
}

/** Parses a body with the operation `transfer`; returns undefined when it is malformed. */
export function readTransfer(body: Cell): TransferMessage | undefined {
  return readBody(body, (slice) => ({
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    destination: slice.loadMaybeAddress(),
    responseDestination: slice.loadMaybeAddress(),
    customPayload: slice.loadMaybeRef(),
    forwardAmount: slice.loadCoins(),
    forwardPayload: readForwardPayload(slice),
  }))
}

/** Parses a body with the operation `burn`; returns undefined when it is malformed. */
export function readBurn(body: Cell): BurnMessage | undefined {
  return readBody(body, (slice) => ({
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    // Some wallets end the message before one of these fields.
    responseDestination: slice.remainingBits > 0 ? slice.loadMaybeAddress() : null,
    customPayload: slice.remainingBits > 0 ? slice.loadMaybeRef() : null,
  }))
}

/** Parses a body with the operation `internal_transfer`; returns undefined when it is malformed. */
export function readInternalTransfer(body: Cell): InternalTransferMessage | undefined {
  return readBody(body, (slice) => ({ queryId: slice.loadUintBig(64), amount: slice.loadCoins() }))
}

function readBody<message>(body: Cell, read: (slice: Slice) => message): message | undefined {
  try {
    return read(body.beginParse().skip(32))
  } catch {
    return undefined
  }
}

// Either in the message itself or in a reference; many senders omit both.
function readForwardPayload(slice: Slice): Cell | null {
  if (slice.remainingBits === 0) return null
  if (slice.loadBit()) return slice.loadRef()
  return slice.remainingBits === 0 && slice.remainingRefs === 0 ? null : slice.asCell()
}
