import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** The metrics of one process, as `registry.getMetricsAsJSON()` returns them. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[]

/** Messages from the primary process to a worker. */
export type ToWorker =
  /** Report not ready, accept no further connections, close the existing ones as they allow it, then exit. */
  | { readonly kind: 'disconnect' }
  /** Exit now: the whole gateway stops. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'reload' }
  | { readonly kind: 'report metrics'; readonly request: number }
  | { readonly kind: 'all metrics'; readonly request: number; readonly text: string }

/** Messages from a worker to the primary process. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly url: string; readonly tlsUrl: string | undefined }
  | { readonly kind: 'metrics'; readonly request: number; readonly metrics: ProcessMetrics }
  /** The final counts of a worker that exits. */
  | { readonly kind: 'final metrics'; readonly metrics: ProcessMetrics }
  | { readonly kind: 'request all metrics'; readonly request: number }
