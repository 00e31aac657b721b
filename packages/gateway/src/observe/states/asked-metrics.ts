import {
  type Aggregator,
  Counter,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  type MetricValueWithName,
  type Registry,
} from 'prom-client'

/** Gives the value that a metric has for some labels. */
type Tell<label extends string> = (labels: Readonly<Record<label, string>>, value: number) => void

/** How values are spread. */
export interface Distribution {
  /** How many fell below or on each bound but above the one before it, and last those above all bounds. */
  readonly counts: Float64Array
  sum: number
}

/**
 * Adds a counter whose value is kept elsewhere and asked for when the metrics are read.
 *
 * @param tell - calls its argument for every set of labels; values for the same labels are added up
 */
export function askedCounter<label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly label[],
  tell: (add: Tell<label>) => void,
): void {
  const counter = new Counter<string>({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect: () => {
      counter.reset()
      tell((labels, value) => counter.inc(labels, value))
    },
  })
}

/**
 * As {@link askedCounter} for a gauge, whose last value for the same labels counts.
 *
 * @param aggregator - what the values of several processes come to; their sum when it is left out
 */
export function askedGauge<label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly label[],
  tell: (set: Tell<label>) => void,
  aggregator: Aggregator = 'sum',
): void {
  const gauge = new Gauge<string>({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    aggregator,
    collect: () => {
      gauge.reset()
      tell((labels, value) => gauge.set(labels, value))
    },
  })
}

/**
 * As {@link askedCounter} for a histogram.
 *
 * @param bounds - of its buckets, rising
 * @param tell - calls its argument once for every set of labels
 */
export function askedHistogram<label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly label[],
  bounds: readonly number[],
  tell: (
    give: (labels: Readonly<Record<label, string>>, distribution: Readonly<Distribution>) => void,
  ) => void,
): void {
  const settings = { name, help, labelNames: [...labelNames], buckets: [...bounds], registers: [] }
  const histogram = new AskedHistogram(settings, () => {
    const samples: Sample[] = []
    tell((labels, { counts, sum }) => {
      let count = 0
      for (const [index, added] of counts.entries()) {
        count += added
        const le = bounds[index] ?? '+Inf'
        samples.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: count })
      }
      samples.push({ metricName: `${name}_sum`, labels, value: sum })
      samples.push({ metricName: `${name}_count`, labels, value: count })
    })
    return samples
  })
  registry.registerMetric(histogram)
}

type Sample = MetricValueWithName<string>
type Samples = Awaited<ReturnType<Histogram['get']>>

/** Gives the samples that it is told in place of its own, which can only be counted one by one. */
class AskedHistogram extends Histogram {
  readonly #samples: () => Sample[]

  constructor(settings: HistogramConfiguration<string>, samples: () => Sample[]) {
    super(settings)
    this.#samples = samples
  }

  override get(): Promise<Samples> {
    return this.getForPromString()
  }

  // What the registry asks for when it writes the text, and `get` when it does not.
  async getForPromString(): Promise<Samples> {
    const { name, help, type, aggregator, collect } = this as unknown as Samples
    return { name, help, type, aggregator, collect, values: this.#samples() }
  }
}
