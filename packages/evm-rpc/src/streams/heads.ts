import type { BlockHeader, Hash32 } from '../generated/index.ts'
import type { Subscription, Transport } from '../transport.ts'
import { isPassing } from './pausing.ts'

/** A header that is part of a chain: not pending. */
export type MinedHeader = BlockHeader & { readonly number: string; readonly hash: Hash32 }

/** Tells about the newest block: as the node pushes it where it can, otherwise by asking. */
export interface HeadWatch {
  /** Waits for news and gives the newest header; at first and after {@link ask} without waiting. */
  next(): Promise<MinedHeader | undefined>
  /** Takes out a pushed header by its parent. */
  take(parentHash: Hash32): MinedHeader | undefined
  /** Makes the next {@link next} ask the node. */
  ask(): void
  close(): void
}

// A stream that keeps up looks for its next header among these; one that lags asks for the blocks anyway.
const keptHeaders = 64
// A subscription may go quiet without an error, for example behind a proxy; so the node is asked now and then.
const quietMs = 30_000

export function watchHeads(transport: Transport, pollingMs: number, signal: AbortSignal): HeadWatch {
  const pushed: MinedHeader[] = []
  let subscription: Subscription | undefined
  let pushes = transport.subscribe !== undefined
  let opening = false
  let newest: MinedHeader | undefined
  let unseen = false
  let asked = true
  let wake = () => {}

  const ask = () => {
    asked = true
    wake()
  }
  const open = async () => {
    opening = true
    try {
      const opened = await transport.subscribe?.(['newHeads'], {
        next(result) {
          const header = headerOf(result)
          if (!header) return
          newest = header
          unseen = true
          pushed.push(header)
          if (pushed.length > keptHeaders) pushed.shift()
          wake()
        },
        resumed: ask,
        error() {
          subscription = undefined
          ask()
        },
      })
      if (signal.aborted) void opened?.unsubscribe().catch(() => {})
      else {
        subscription = opened
        // What came between the last answer and the subscription was not pushed.
        ask()
      }
    } catch (error) {
      pushes = isPassing(error)
    }
    opening = false
  }
  const news = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        wake = () => {}
        // Time that has passed without a push.
        asked ||= !unseen
        resolve()
      }
      const waitMs = subscription ? Math.max(quietMs, pollingMs) : pollingMs
      const timer = setTimeout(end, asked || unseen || signal.aborted ? 0 : waitMs)
      signal.addEventListener('abort', end)
      wake = end
    })

  return {
    ask,
    async next() {
      if (pushes && !subscription && !opening) void open()
      await news()
      if (signal.aborted) return undefined
      unseen = false
      if (!asked) return newest
      asked = false
      try {
        const params = ['latest', false]
        return headerOf(await transport.request({ method: 'eth_getBlockByNumber', params }, { signal }))
      } catch (error) {
        asked = true
        throw error
      }
    },
    take(parentHash) {
      const index = pushed.findLastIndex((header) => header.parentHash === parentHash)
      return index < 0 ? undefined : pushed.splice(index, 1)[0]
    },
    close() {
      void subscription?.unsubscribe().catch(() => {})
    },
  }
}

/** The header of a block, without what some nodes send along. */
export function headerOf(block: unknown): MinedHeader | undefined {
  if (typeof block !== 'object' || block === null) return undefined
  const {
    transactions: _,
    uncles: _u,
    withdrawals: _w,
    size: _s,
    ...header
  } = block as Record<string, unknown>
  return isMined(header) ? header : undefined
}

function isMined(header: Record<string, unknown>): header is Record<string, unknown> & MinedHeader {
  return [header['number'], header['hash'], header['parentHash']].every((field) => typeof field === 'string')
}
