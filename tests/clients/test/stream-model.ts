import type { BlockEvent, BlockHeader, LogEvent, MinedLog } from '@fairlead/evm-rpc'
import { expect } from 'vitest'

/** Applies block events as a reader would, and rejects an event that does not follow from the preceding ones. */
export class BlockModel {
  readonly chain: BlockHeader[] = []
  reorgs = 0
  blocks = 0

  apply(event: BlockEvent): void {
    if (event.type === 'block') {
      const tip = this.chain.at(-1)
      if (tip) {
        expect(event.block.parentHash).toBe(tip.hash)
        expect(Number(event.block.number)).toBe(Number(tip.number) + 1)
      }
      this.chain.push(event.block)
      this.blocks++
      return
    }
    this.reorgs++
    for (const removed of event.removed) expect(removed.hash).toBe(this.chain.pop()?.hash)
    const tip = this.chain.at(-1)
    if (tip) expect(event.commonAncestor).toEqual({ number: tip.number, hash: tip.hash })
  }

  get hashes(): (string | null)[] {
    return this.chain.map((block) => block.hash)
  }
}

/** The same for logs. */
export class LogModel {
  readonly logs: MinedLog[] = []
  removals = 0

  apply({ type, log }: LogEvent): void {
    if (type === 'log') {
      const last = this.logs.at(-1)
      if (last) expect(orderOf(log)).toBeGreaterThan(orderOf(last))
      expect(log.removed).toBe(false)
      this.logs.push(log)
      return
    }
    this.removals++
    expect(log).toEqual({ ...this.logs.pop(), removed: true })
  }
}

function orderOf({ blockNumber, logIndex }: MinedLog): number {
  return Number(blockNumber) * 1_000_000 + Number(logIndex)
}

/** Waits until a condition holds. The time limit is that of the test. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Reads a stream to the end, and reports the error that ended it, if any. */
export function read<event>(
  stream: AsyncIterable<event>,
  apply: (event: event) => void,
): { readonly done: Promise<void>; readonly failure: unknown } {
  let failure: unknown
  const done = (async () => {
    try {
      for await (const event of stream) apply(event)
    } catch (error) {
      failure = error
    }
  })()
  return {
    done,
    get failure() {
      return failure
    },
  }
}
