import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import type { Traffic } from './traffic.ts'

/**
 * Ends the slots of a chain by the clock until the chain is stopped.
 *
 * @param traffic Sends its transactions at even intervals within each slot.
 * @param onLost Called with the error that stopped the schedule.
 */
export function scheduleSlots(
  chain: EmbeddedSolanaChain,
  secondsPerSlot: number,
  traffic: Traffic | undefined,
  onLost: (error: unknown) => void,
): void {
  const transactionsPerSlot = traffic?.transactionsPerSlot ?? 1
  const pauseMs = (secondsPerSlot * 1_000) / transactionsPerSlot
  let index = 0
  let dueMs = performance.now()
  let timer: NodeJS.Timeout | undefined

  async function tick(): Promise<void> {
    await traffic?.send(index)
    index = (index + 1) % transactionsPerSlot
    if (index === 0) chain.makeSlot()
    wait()
  }

  function wait(): void {
    if (chain.ended.aborted) return
    const now = performance.now()
    // After a standstill the slots continue from the current time; missed slots are not produced later.
    dueMs = Math.max(dueMs + pauseMs, now)
    timer = setTimeout(() => void tick().catch(onLost), dueMs - now)
  }

  chain.ended.addEventListener('abort', () => clearTimeout(timer), { once: true })
  wait()
}
