/** Sets the value of a metric for some labels. */
export type ReportValue<label extends string> = (
  labels: Readonly<Record<label, string>>,
  value: number,
) => void

/** Sets the distribution of a histogram for some labels. */
export type ReportDistribution<label extends string> = (
  labels: Readonly<Record<label, string>>,
  distribution: Readonly<Distribution>,
) => void

/** A distribution of values. */
export interface Distribution {
  /**
   * Number of values at or below each bound and above the previous one; the last entry is the number of values above
   * all bounds.
   */
  readonly counts: Float64Array
  sum: number
}

type Labels<label extends string> = Readonly<Record<label, string>>

/** One value of a metric. */
export interface CountedValue {
  inc(by?: number): void
}

/** A monotonically increasing number for each set of labels. */
export interface Counter<label extends string> {
  inc(labels: Labels<label>, by?: number): void
  labels(labels: Labels<label>): CountedValue
}

/** A number that can increase and decrease, for each set of labels. */
export interface Gauge<label extends string> {
  inc(labels: Labels<label>, by?: number): void
  labels(labels: Labels<label>): CountedValue & { dec(by?: number): void }
}

/** Publishes metrics. Most of them have values that their owner stores; these are read when the metrics are read. */
export interface MetricsRegistry {
  newCounter<label extends string>(name: string, help: string, labelNames: readonly label[]): Counter<label>
  newGauge<label extends string>(name: string, help: string, labelNames: readonly label[]): Gauge<label>
  /** @param read - calls its argument for every set of labels; values for the same labels are added up */
  counter<label extends string>(
    name: string,
    help: string,
    labelNames: readonly label[],
    read: (add: ReportValue<label>) => void,
  ): void
  /**
   * Same as {@link counter}, for a gauge. The last value for the same labels counts.
   *
   * @param aggregator - how the values of several processes are combined; their sum when omitted
   */
  gauge<label extends string>(
    name: string,
    help: string,
    labelNames: readonly label[],
    read: (set: ReportValue<label>) => void,
    aggregator?: 'sum' | 'min' | 'max' | 'first',
  ): void
  /**
   * Same as {@link counter}, for a histogram.
   *
   * @param bounds - upper bounds of its buckets, ascending
   * @param read - calls its argument once for every set of labels
   */
  histogram<label extends string>(
    name: string,
    help: string,
    labelNames: readonly label[],
    bounds: readonly number[],
    read: (report: ReportDistribution<label>) => void,
  ): void
}
