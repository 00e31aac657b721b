import type { Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { FromWorker, ProcessMetrics, ToWorker } from './messages.ts'

/** Adds up the metrics of all processes. */
export interface MetricsGatherer {
  /** Handles a message of a worker; ignores messages that do not concern metrics. */
  handleMessage(worker: Worker, message: FromWorker): void
}

// A busy worker is left out instead of waited for, because the scraper has a timeout too.
const timeoutMs = 2_000

/**
 * Creates the gatherer, which requests the metrics of all workers whenever one of them requests those of the gateway.
 * Counts of workers that have exited stay in the sum, so that a counter never decreases.
 *
 * @param workers - returns the current workers
 */
export function createMetricsGatherer(workers: () => readonly Worker[]): MetricsGatherer {
  let requests = 0
  let ended: ProcessMetrics = []
  const pending = new Map<number, (metrics: ProcessMetrics) => void>()
  const gather = async (): Promise<string> => {
    const request = ++requests
    const connected = workers().filter((worker) => worker.isConnected())
    const reports = [countersOf(ended)]
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      pending.set(request, (metrics) => {
        if (reports.push(metrics) > connected.length) {
          clearTimeout(timer)
          resolve()
        }
      })
      for (const worker of connected) send(worker, { kind: 'report metrics', request })
    })
    pending.delete(request)
    return AggregatorRegistry.aggregate(reports).metrics()
  }
  return {
    handleMessage: (worker, message) => {
      if (message.kind === 'metrics') pending.get(message.request)?.(message.metrics)
      else if (message.kind === 'final metrics') {
        void AggregatorRegistry.aggregate([ended, countersOf(message.metrics)])
          .getMetricsAsJSON()
          .then((metrics) => (ended = metrics))
      } else if (message.kind === 'request all metrics') {
        const { request } = message
        // A worker without a response reports that itself; the primary process continues.
        gather()
          .then((text) => send(worker, { kind: 'all metrics', request, text }))
          .catch(() => undefined)
      }
    },
  }
}

/** Sends a message to a worker, which may just have exited. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

// The gauges of an exited process are no longer valid.
function countersOf(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
