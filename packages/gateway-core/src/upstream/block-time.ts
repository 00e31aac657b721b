/** The first block of a span. */
interface Start {
  readonly source: object
  readonly number: number
  readonly atMs: number
}

/** The progress of a chain between two observations. */
interface Span {
  readonly blocks: number
  readonly ms: number
}

// Block timestamps have a resolution of one second.
const minSpanMs = 10_000
const maxSpans = 9
// Of three spans, one may be a gap.
const minSpans = 3
// A span whose block time differs from the median by more than this factor is a gap or a jump.
const maxDeviation = 2
// Below the block time of any chain.
const minBlockMs = 100
// The source is replaced when it has made no progress for this time.
const sourceMs = 60_000

/** Measures the block time of a chain by the progress of one source, for example an upstream, at a time. */
export class BlockTime {
  #start: Start | undefined
  readonly #spans: Span[] = []

  /** In milliseconds. Undefined until the progress of half a minute is known. */
  get ms(): number | undefined {
    if (this.#spans.length < minSpans) return undefined
    const median = this.#spans.map(blockMsOf).toSorted((a, b) => a - b)[this.#spans.length >> 1] ?? 0
    const usual = this.#spans.filter((span) => {
      const deviation = blockMsOf(span) / median
      return deviation <= maxDeviation && deviation >= 1 / maxDeviation
    })
    const sum = (of: (span: Span) => number) => usual.reduce((total, span) => total + of(span), 0)
    return Math.max(minBlockMs, sum(({ ms }) => ms) / sum(({ blocks }) => blocks))
  }

  /**
   * Records the latest block of a source.
   *
   * @param atMs - time of the block, or of its arrival; all times of a source are of one clock
   */
  observe(source: object, number: number, atMs: number): void {
    const start = this.#start
    const ms = atMs - (start?.atMs ?? -Infinity)
    if (start && start.source !== source && ms < sourceMs) return
    // A lower block follows a reorganization.
    const isProgress = start?.source === source && number >= start.number && ms >= 0
    if (isProgress && (number === start.number || ms < minSpanMs)) return
    if (isProgress) this.#spans.push({ blocks: number - start.number, ms })
    if (this.#spans.length > maxSpans) this.#spans.shift()
    this.#start = { source, number, atMs }
  }

  /** Ignores the progress of a source since its last span, because it catches up with the chain. */
  interrupt(source: object): void {
    if (this.#start?.source === source) this.#start = undefined
  }
}

function blockMsOf({ blocks, ms }: Span): number {
  return ms / blocks
}
