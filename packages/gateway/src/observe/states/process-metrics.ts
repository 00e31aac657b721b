import { getHeapStatistics } from 'node:v8'
import type { Registry } from 'prom-client'
import { askedGauge } from './asked-metrics.ts'

/** Publishes what the memory of the process is measured against. */
export function publishProcess(registry: Registry): void {
  askedGauge(
    registry,
    'fairlead_heap_limit_bytes',
    'Most memory that the heap of the process may take.',
    [],
    (set) => set({}, getHeapStatistics().heap_size_limit),
  )
}
