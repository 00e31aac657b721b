/** An event of a subscription. None of them requires a reaction. */
export type GeyserNotice =
  | { readonly kind: 'connected'; readonly fromSlot: bigint | undefined }
  /** A call has ended, or could not begin; the next one begins after `delayMs` milliseconds. */
  | {
      readonly kind: 'disconnected'
      /** gRPC status; undefined when the server sent none. */
      readonly status: number | undefined
      readonly detail: string
      /** Number of consecutive calls without a new update, from 1. */
      readonly attempt: number
      readonly delayMs: number
    }
  /** Updates arrive again, beginning with the missed ones. */
  | { readonly kind: 'resumed'; readonly fromSlot: bigint | undefined; readonly outageMs: number }
  /** Updates of these slots, both ends included, may be permanently missing. */
  | { readonly kind: 'gap'; readonly from: bigint; readonly to: bigint }
  | ForkNotice
  /** The server has ended the stream, because it was read too slowly. */
  | { readonly kind: 'lagging'; readonly detail: string }

/**
 * A slot with delivered updates was on a lost branch, or now has another block.
 *
 * Another block is reported when a replay delivers it. A lost slot is reported once, when a chain of 33 blocks
 * continues without it, after about 13 seconds: shorter branches may still win. The statuses of slots report it sooner.
 */
export interface ForkNotice {
  readonly kind: 'fork'
  readonly slot: bigint
  /** The new block, delivered next if it is replayed; undefined when the slot has none. */
  readonly blockhash: string | undefined
  /** The previous block; undefined when it never became complete, or was cut off before. */
  readonly previousBlockhash: string | undefined
}

/** Calls a listener. An error of the listener is not swallowed, but does not affect the subscription. */
export function callListener(
  listener: ((notice: GeyserNotice) => void) | undefined,
  notice: GeyserNotice,
): void {
  try {
    listener?.(notice)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
