import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** The metrics of one process, as `registry.getMetricsAsJSON()` gives them. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

/** What the first process tells a worker. */
export type ToWorker =
  /** Be ready no more, take no further connection, end those that there are as they allow it, then end. */
  | { readonly kind: 'leave' }
  /** End now: the whole service stops. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'report metrics'; readonly request: number }
  | { readonly kind: 'all metrics'; readonly request: number; readonly text: string }

/** What a worker tells the first process. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly url: string; readonly tlsUrl: string | undefined }
  | { readonly kind: 'metrics'; readonly request: number; readonly metrics: ProcessMetrics }
  /** The last counts of a worker that ends. */
  | { readonly kind: 'last metrics'; readonly metrics: ProcessMetrics }
  | { readonly kind: 'want all metrics'; readonly request: number }
