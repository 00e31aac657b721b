/** What a subscription has to say about itself. Nothing of it needs an answer. */
export type GeyserNotice =
  | { readonly kind: 'connected'; readonly fromSlot: bigint | undefined }
  /** A call has ended, or could not begin; the next one begins after `delayMs` milliseconds. */
  | {
      readonly kind: 'disconnected'
      /** gRPC status; undefined where the server gave none. */
      readonly status: number | undefined
      readonly detail: string
      /** Counts the calls in a row that brought nothing new, from 1. */
      readonly attempt: number
      readonly delayMs: number
    }
  /** Updates come again, first those that were missed. */
  | { readonly kind: 'resumed'; readonly fromSlot: bigint | undefined; readonly outageMs: number }
  /** Updates of these slots, both ends included, may be missing for good. */
  | { readonly kind: 'gap'; readonly from: bigint; readonly to: bigint }
  | ForkNotice
  /** The server has ended the stream, as it was read too slowly. */
  | { readonly kind: 'lagging'; readonly detail: string }

/**
 * A slot of which something was delivered was on a branch that is lost, or its block is another one now.
 *
 * Another block is told when a replay brings it. That a slot is lost is told once, when a chain of 33 blocks has gone on
 * without it, after about 13 seconds: shorter branches may still win. The statuses of slots tell it sooner.
 */
export interface ForkNotice {
  readonly kind: 'fork'
  readonly slot: bigint
  /** The block that is there now, delivered next as far as it is replayed; undefined where the slot has none. */
  readonly blockhash: string | undefined
  /** The block that is gone; undefined where it never became complete, or was cut off before. */
  readonly previousBlockhash: string | undefined
}

/** Calls a listener. A fault of it is not swallowed, but does not reach the subscription. */
export function tell(listener: ((notice: GeyserNotice) => void) | undefined, notice: GeyserNotice): void {
  try {
    listener?.(notice)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
