import { FairleadError } from '@fairlead/core'
import type { Subscription, SubscriptionListener, Transport } from '../transport.ts'

/**
 * Runs one subscription on the first transport that accepts it, and on the next one when it ends with an error.
 *
 * After the last transport the first one follows again, but each is tried once per move.
 */
export async function moveSubscription(
  order: () => readonly Transport[],
  params: readonly unknown[],
  listener: SubscriptionListener,
  mayMove: (error: unknown) => boolean,
): Promise<Subscription> {
  let current: Subscription | undefined
  let isEnded = false

  async function start(candidates: readonly Transport[]): Promise<Subscription> {
    let lastError: unknown
    for (const transport of candidates) {
      if (!transport.subscribe) continue
      try {
        return await transport.subscribe(params, {
          next: (result) => isEnded || listener.next(result),
          resumed: () => isEnded || listener.resumed?.(),
          error: (error) => void move(transport, error),
        })
      } catch (error) {
        if (!mayMove(error)) throw error
        lastError = error
      }
    }
    throw lastError
  }

  async function move(from: Transport, error: unknown): Promise<void> {
    current = undefined
    if (isEnded) return
    try {
      if (!mayMove(error)) throw error
      const alternatives = order().filter((transport) => transport !== from)
      if (!alternatives.some(({ subscribe }) => subscribe)) throw error
      const replacement = await start(alternatives)
      if (isEnded) return await replacement.unsubscribe()
      current = replacement
      listener.resumed?.()
    } catch (reason) {
      if (!isEnded) listener.error?.(FairleadError.is(reason) ? reason : error)
    }
  }

  current = await start(order())
  return {
    async unsubscribe() {
      isEnded = true
      await current?.unsubscribe()
    },
  }
}
