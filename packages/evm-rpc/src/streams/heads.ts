import type { BlockHeader, Hash32 } from '../generated/index.ts'
import type { Subscription, Transport } from '../transport.ts'
import { isTemporary } from './pausing.ts'

/** A header that is part of a chain: not pending. */
export type MinedHeader = BlockHeader & { readonly number: string; readonly hash: Hash32 }

/** Watches the latest block: by subscription if the transport supports it, otherwise by polling. */
export interface HeadWatch {
  /** Waits for a change and returns the latest header; the first time and after {@link poll} without waiting. */
  next(): Promise<MinedHeader | undefined>
  /** Removes and returns a pushed header by its parent. */
  removeByParent(parentHash: Hash32): MinedHeader | undefined
  /** Makes the next {@link next} query the node. */
  poll(): void
  close(): void
}

// A stream without lag finds its next header among these; one that lags requests the blocks anyway.
const maxPushedHeaders = 64
// A subscription may go silent without an error, for example behind a proxy, so the node is also polled occasionally.
const maxSilenceMs = 30_000

export function watchHeads(transport: Transport, pollingMs: number, signal: AbortSignal): HeadWatch {
  const pushed: MinedHeader[] = []
  let subscription: Subscription | undefined
  let canSubscribe = transport.subscribe !== undefined
  let opening = false
  let latest: MinedHeader | undefined
  let hasUnread = false
  let isPollRequested = true
  let wake = () => {}

  const poll = () => {
    isPollRequested = true
    wake()
  }
  const open = async () => {
    opening = true
    try {
      const opened = await transport.subscribe?.(['newHeads'], {
        next(result) {
          const header = headerOf(result)
          if (!header) return
          latest = header
          hasUnread = true
          pushed.push(header)
          if (pushed.length > maxPushedHeaders) pushed.shift()
          wake()
        },
        resumed: poll,
        error() {
          subscription = undefined
          poll()
        },
      })
      if (signal.aborted) void opened?.unsubscribe().catch(() => {})
      else {
        subscription = opened
        // Blocks between the last response and the subscription were not pushed.
        poll()
      }
    } catch (error) {
      canSubscribe = isTemporary(error)
    }
    opening = false
  }
  const nextChange = () =>
    new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        wake = () => {}
        // No push arrived within the interval.
        isPollRequested ||= !hasUnread
        resolve()
      }
      const waitMs = subscription ? Math.max(maxSilenceMs, pollingMs) : pollingMs
      const timer = setTimeout(finish, isPollRequested || hasUnread || signal.aborted ? 0 : waitMs)
      signal.addEventListener('abort', finish)
      wake = finish
    })

  return {
    poll,
    async next() {
      if (canSubscribe && !subscription && !opening) void open()
      await nextChange()
      if (signal.aborted) return undefined
      hasUnread = false
      if (!isPollRequested) return latest
      isPollRequested = false
      try {
        const params = ['latest', false]
        return headerOf(await transport.request({ method: 'eth_getBlockByNumber', params }, { signal }))
      } catch (error) {
        isPollRequested = true
        throw error
      }
    },
    removeByParent(parentHash) {
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
