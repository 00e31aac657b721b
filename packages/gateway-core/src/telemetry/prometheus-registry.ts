import {
  Counter,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  type MetricValueWithName,
  type Registry,
} from 'prom-client'
import type { MetricsRegistry } from './metrics-registry.ts'

/** Publishes metrics in a prom-client registry. */
export function prometheusRegistry(registry: Registry): MetricsRegistry {
  const registers = [registry]
  return {
    newCounter: (name, help, labelNames) =>
      new Counter<string>({ name, help, labelNames: [...labelNames], registers }),
    newGauge: (name, help, labelNames) =>
      new Gauge<string>({ name, help, labelNames: [...labelNames], registers }),
    counter: (name, help, labelNames, read) => {
      const counter = new Counter<string>({
        name,
        help,
        labelNames: [...labelNames],
        registers,
        collect: () => {
          counter.reset()
          read((labels, value) => counter.inc(labels, value))
        },
      })
    },
    gauge: (name, help, labelNames, read, aggregator = 'sum') => {
      const gauge = new Gauge<string>({
        name,
        help,
        labelNames: [...labelNames],
        registers,
        aggregator,
        collect: () => {
          gauge.reset()
          read((labels, value) => gauge.set(labels, value))
        },
      })
    },
    histogram: (name, help, labelNames, bounds, read) => {
      const settings = { name, help, labelNames: [...labelNames], buckets: [...bounds], registers: [] }
      const histogram = new ReadHistogram(settings, () => {
        const samples: Sample[] = []
        read((labels, { counts, sum }) => {
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
    },
  }
}

type Sample = MetricValueWithName<string>
type Samples = Awaited<ReturnType<Histogram['get']>>

/** A histogram with samples from outside; the one of prom-client can only count values one by one. */
class ReadHistogram extends Histogram {
  readonly #samples: () => Sample[]

  constructor(settings: HistogramConfiguration<string>, samples: () => Sample[]) {
    super(settings)
    this.#samples = samples
  }

  override get(): Promise<Samples> {
    return this.getForPromString()
  }

  // The registry calls this when it writes the text format, and `get` otherwise.
  async getForPromString(): Promise<Samples> {
    const { name, help, type, aggregator, collect } = this as unknown as Samples
    return { name, help, type, aggregator, collect, values: this.#samples() }
  }
}
