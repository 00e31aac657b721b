import type { BlockHeader, Hash32 } from '../generated/index.ts'
import type { Subscription, Transport } from '../transport.ts'
import { isPassing } from './pausing.ts'

/** A header that is part of a chain: not pending. */
export type MinedHeader = BlockHeader & { readonly number: string; readonly hash: Hash32 }

/** Watches the latest block: by subscription if the transport supports it, otherwise by polling. */
export interface HeadWatch {
  /** Waits for a change and returns the latest header; the first time and after {@link ask} without waiting. */
  next(): Promise<MinedHeader | undefined>
  /** Removes and returns a pushed header by its parent. */
  take(parentHash: Hash32): MinedHeader | undefined
  /** Makes the next {@link next} query the node. */
  ask(): void
  close(): void
}

// A stream without lag finds its next header among these; one that lags requests the blocks anyway.
const keptHeaders = 64
// A subscription may go silent without an error, for example behind a proxy, so the node is also polled occasionally.
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
        // Blocks between the last response and the subscription were not pushed.
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
        // No push arrived within the interval.
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

/** The header of a block, without additional fields that some nodes send. */
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
