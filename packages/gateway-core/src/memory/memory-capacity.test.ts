import { expect, it } from 'vitest'
import { memoryCapacity, readMemoryLimits } from './memory-capacity.ts'

const gigabyte = 2 ** 30
const megabyte = 2 ** 20

it.each([
  [{ heapBytes: 256 * megabyte, machineBytes: 24 * gigabyte, processes: 1 }, 128],
  [{ heapBytes: 4 * gigabyte, machineBytes: 24 * gigabyte, processes: 1 }, 2_048],
  [{ heapBytes: 4 * gigabyte, machineBytes: 4 * gigabyte, processes: 4 }, 256],
  [{ heapBytes: 768 * megabyte, machineBytes: 1.5 * gigabyte, processes: 1 }, 384],
])('of %j, the capacity is %i MiB', (limits, megabytes) => {
  expect(memoryCapacity(limits)).toBe(megabytes * megabyte)
})

it('reads the limits of the process', () => {
  const { heapBytes, machineBytes } = readMemoryLimits(1)
  expect(heapBytes).toBeGreaterThan(64 * megabyte)
  expect(machineBytes).toBeGreaterThan(heapBytes / 8)
  expect(machineBytes).toBeLessThan(2 ** 50)
})
