/** Sets the value of a metric for some labels. */
export type GiveValue<label extends string> = (labels: Readonly<Record<label, string>>, value: number) => void

/** Sets the distribution of a histogram for some labels. */
export type GiveDistribution<label extends string> = (
  labels: Readonly<Record<label, string>>,
  distribution: Readonly<Distribution>,
) => void

/** How values are spread. */
export interface Distribution {
  /** How many fell below or on each bound but above the one before it, and last those above all bounds. */
  readonly counts: Float64Array
  sum: number
}

type Labels<label extends string> = Readonly<Record<label, string>>

/** One value of a metric. */
export interface CountedValue {
  inc(by?: number): void
}

/** A number that only grows, for each set of labels. */
export interface Counter<label extends string> {
  inc(labels: Labels<label>, by?: number): void
  labels(labels: Labels<label>): CountedValue
}

/** A number that grows and shrinks, for each set of labels. */
export interface Gauge<label extends string> {
  inc(labels: Labels<label>, by?: number): void
  labels(labels: Labels<label>): CountedValue & { dec(by?: number): void }
}

/** Publishes metrics, most of them with values that their owner keeps; those are read when the metrics are. */
export interface MetricsRegistry {
  newCounter<label extends string>(name: string, help: string, labelNames: readonly label[]): Counter<label>
  newGauge<label extends string>(name: string, help: string, labelNames: readonly label[]): Gauge<label>
  /** @param read - calls its argument for every set of labels; values for the same labels are added up */
  counter<label extends string>(
    name: string,
    help: string,
    labelNames: readonly label[],
    read: (add: GiveValue<label>) => void,
  ): void
  /**
   * As {@link counter} for a gauge, whose last value for the same labels counts.
   *
   * @param aggregator - what the values of several processes come to; their sum when it is left out
   */
  gauge<label extends string>(
    name: string,
    help: string,
    labelNames: readonly label[],
    read: (set: GiveValue<label>) => void,
    aggregator?: 'sum' | 'min' | 'max' | 'first',
  ): void
  /**
   * As {@link counter} for a histogram.
   *
   * @param bounds - of its buckets, rising
   * @param read - calls its argument once for every set of labels
   */
  histogram<label extends string>(
    name: string,
    help: string,
    labelNames: readonly label[],
    bounds: readonly number[],
    read: (give: GiveDistribution<label>) => void,
  ): void
}
