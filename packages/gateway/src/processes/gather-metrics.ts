import type { Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { FromWorker, ProcessMetrics, ToWorker } from './messages.ts'

/** Adds up the metrics of all processes. */
export interface MetricsGatherer {
  /** Takes what a worker says; what is not about metrics is left alone. */
  take(worker: Worker, message: FromWorker): void
}

// A worker that is busy is left out rather than waited for: whoever scrapes has a deadline too.
const patienceMs = 2_000

/**
 * Makes what asks all workers for their metrics whenever one of them is asked for those of the service. What workers
 * counted that have ended stays in the sum, so that a counter never goes back.
 *
 * @param workers - those that there are now
 */
export function createMetricsGatherer(workers: () => readonly Worker[]): MetricsGatherer {
  let requests = 0
  let ended: ProcessMetrics = []
  const waiting = new Map<number, (metrics: ProcessMetrics) => void>()
  const gather = async (): Promise<string> => {
    const request = ++requests
    const asked = workers().filter((worker) => worker.isConnected())
    const reports = [countersOf(ended)]
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, patienceMs)
      waiting.set(request, (metrics) => {
        if (reports.push(metrics) > asked.length) {
          clearTimeout(late)
          resolve()
        }
      })
      for (const worker of asked) send(worker, { kind: 'report metrics', request })
    })
    waiting.delete(request)
    return AggregatorRegistry.aggregate(reports).metrics()
  }
  return {
    take: (worker, message) => {
      if (message.kind === 'metrics') waiting.get(message.request)?.(message.metrics)
      else if (message.kind === 'last metrics') {
        void AggregatorRegistry.aggregate([ended, countersOf(message.metrics)])
          .getMetricsAsJSON()
          .then((metrics) => (ended = metrics))
      } else if (message.kind === 'want all metrics') {
        const { request } = message
        // Who gets no answer says so himself; the process that watches over all others goes on.
        gather()
          .then((text) => send(worker, { kind: 'all metrics', request, text }))
          .catch(() => undefined)
      }
    },
  }
}

/** Says something to a worker, who may just have gone. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

// What a gauge of a process that is gone said is true no longer.
function countersOf(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
