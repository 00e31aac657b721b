import type { Head } from '../chain/head.ts'
import type { Log } from './log-filter.ts'

/** A log, and its text as JSON. */
export interface LogEntry {
  readonly log: Log
  readonly text: string
}

/** A block that was delivered to subscribers. */
export interface Block {
  readonly head: Head
  /** Logs that matched a subscription at the time. */
  readonly logs: readonly LogEntry[]
  /** Sequence number of the delivery. A subscriber that joined later has not received the block. */
  readonly sequence: number
}

const maxBlocks = 256
const maxTextLength = 32 * 1024 * 1024

/**
 * The most recently delivered blocks, each the child of the previous one. They are needed to report a reorged-out
 * branch.
 *
 * It is bounded by the number of blocks and by the text of their logs.
 */
export class BlockWindow {
  readonly #blocks: Block[] = []
  readonly #byHash = new Map<string, Block>()
  #textLength = 0

  /** @param start - blocks to continue from, at least one, each the child of the previous one */
  constructor(start: readonly Block[]) {
    for (const block of start) this.append(block)
  }

  /** @param heads - headers to continue from, at least one, each the child of the previous one */
  static startingAt(heads: readonly Head[]): BlockWindow {
    return new BlockWindow(heads.map((head) => ({ head, logs: [], sequence: 0 })))
  }

  get tip(): Head {
    return (this.#blocks.at(-1) as Block).head
  }

  get first(): Head {
    return (this.#blocks[0] as Block).head
  }

  copy(): BlockWindow {
    return new BlockWindow(this.#blocks)
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash)
  }

  /** Adds a child of the tip. */
  append(block: Block): void {
    this.#blocks.push(block)
    this.#byHash.set(block.head.hash, block)
    this.#textLength += textLength(block)
    while (this.#blocks.length > 1 && (this.#blocks.length > maxBlocks || this.#textLength > maxTextLength)) {
      this.#truncate(this.#blocks.shift() as Block)
    }
  }

  /** Removes and returns all blocks after the one with this hash, which must be in the window. Latest first. */
  truncateAfter(hash: string): Block[] {
    const cut: Block[] = []
    while (this.tip.hash !== hash) {
      const block = this.#blocks.pop() as Block
      this.#truncate(block)
      cut.push(block)
    }
    return cut
  }

  #truncate(block: Block): void {
    this.#byHash.delete(block.head.hash)
    this.#textLength -= textLength(block)
  }
}

function textLength({ logs }: Block): number {
  return logs.reduce((length, { text }) => length + text.length, 0)
}
