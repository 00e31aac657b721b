import { beforeAll, expect, it } from 'vitest'
import { drawn } from '@fairlead/vitest/draw'
import { percentileOf } from '@fairlead/benchmarks/steady-calls'
import { protocols, runSequence, sequencesOf, tableHead, tableRow } from './sequences/fault-sequence.ts'

// FAIRLEAD_FAULT_SEED draws other sequences. `npm run faults` runs all of them.
const seed = Number(process.env['FAIRLEAD_FAULT_SEED'] ?? 1)
const sequences = Object.keys(protocols).flatMap((protocol, index) =>
  drawn(sequencesOf(protocol, 'second'), 1, seed + index),
)
// The pause of the circuit breaker of the first upstream ends six seconds after the second fault has begun.
const times = { first: 8, recovered: 1, second: 3 }
// The machine runs other programs, which delay all calls. `npm run faults` requires 1.5 seconds.
const maxMs = 5_000

beforeAll(() => void process.stdout.write(`seed of the drawn sequences: ${seed}\n${tableHead}\n`))

it.each(sequences)(
  'no $protocol call fails or waits for long: $first, recovery, then $second of the other upstream',
  async (sequence) => {
    const report = await runSequence(sequence, times)
    process.stdout.write(`${tableRow(sequence, report)}\n`)
    expect({ errors: report.errors, examples: report.examples }).toEqual({ errors: 0, examples: [] })
    expect(percentileOf(report, 1)).toBeLessThan(maxMs)
  },
)
