// Two faults, one after the other, at a gateway from the sources: npm run faults -- --protocols evm --first kill,429
import { parseArgs } from 'node:util'
import { percentileOf } from '@fairlead/benchmarks/steady-calls'
import { maxCallMs, protocols, runSequence, sequencesOf, tableHead, tableRow } from './fault-sequence.ts'
import { faults } from './upstream-process.ts'

const usage = `usage: npm run faults -- [flags]
  --protocols evm,beacon,ton
  --first <faults>   of the first upstream, with commas between them; default: ${faults.join(',')}
  --second <faults>  of the other upstream, after the first one has recovered; default: the same
  --same             the second fault is of the first upstream too
  --times 8,5,8      seconds of the first fault, between the faults, and of the second fault
`

const { values: flags } = parseArgs({
  options: {
    protocols: { type: 'string', default: Object.keys(protocols).join(',') },
    first: { type: 'string', default: faults.join(',') },
    second: { type: 'string', default: faults.join(',') },
    same: { type: 'boolean', default: false },
    times: { type: 'string', default: '8,5,8' },
    help: { type: 'boolean', default: false },
  },
})

if (flags.help) print(usage)
else process.exitCode = (await runAll()) ? 0 : 1

/** Returns whether all calls of all sequences succeeded in time. */
async function runAll(): Promise<boolean> {
  const [first = 0, recovered = 0, second = 0] = flags.times.split(',').map(Number)
  const sequences = flags.protocols
    .split(',')
    .flatMap((protocol) => sequencesOf(protocol, flags.same ? 'first' : 'second'))
    .filter((sequence) => flags.first.split(',').includes(sequence.first))
    .filter((sequence) => flags.second.split(',').includes(sequence.second))
  print(`${tableHead}\n`)
  let failed = 0
  for (const sequence of sequences) {
    const report = await runSequence(sequence, { first, recovered, second })
    const isGood = report.errors === 0 && percentileOf(report, 1) <= maxCallMs
    if (!isGood) failed += 1
    print(`${tableRow(sequence, report)}${isGood ? '' : '  failed'}\n`)
    for (const example of report.examples) print(`  ${JSON.stringify(example)}\n`)
  }
  print(
    `${sequences.length - failed} of ${sequences.length} without an error or a call of more than ${maxCallMs} ms\n`,
  )
  return failed === 0
}

function print(text: string): void {
  process.stdout.write(text)
}
