import { type Aggregator, Counter, Gauge, type Registry } from 'prom-client'

/** Gives the value that a metric has for some labels. */
type Tell<label extends string> = (labels: Readonly<Record<label, string>>, value: number) => void

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
