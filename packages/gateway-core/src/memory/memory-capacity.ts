import { totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'
import { getHeapStatistics } from 'node:v8'

/** What limits the memory of this process. */
export interface MemoryLimits {
  /** Maximum size of the JavaScript heap in bytes. */
  readonly heapBytes: number
  /** Memory of the container, or of the machine without a limit, in bytes. */
  readonly machineBytes: number
  /** Number of processes that share the memory of the machine. */
  readonly processes: number
}

// The rest of the heap is for records, caches and garbage that is not collected yet.
const shareOfHeap = 0.5
// Data that clients make the gateway hold is partly outside the heap, where buffers are.
const shareOfMachine = 0.25

/** Returns the memory for everything that clients can make the gateway hold, in bytes. */
export function memoryCapacity({ heapBytes, machineBytes, processes }: MemoryLimits): number {
  return Math.floor(Math.min(heapBytes * shareOfHeap, (machineBytes / processes) * shareOfMachine))
}

/** Reads the limits of this process. */
export function readMemoryLimits(processes: number): MemoryLimits {
  // Without a limit, it reports 0 or a number that no machine has.
  const constrained = constrainedMemory()
  const machineBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return { heapBytes: getHeapStatistics().heap_size_limit, machineBytes, processes }
}
