import { parseArgs } from 'node:util'
import { readFamilies } from './families.ts'
import { differences, isCurrent, write } from './output.ts'

const usage = `Generates the code of every API family from specs/.

  pnpm codegen              write packages/*/src/generated
  pnpm codegen --check      write nothing; exit 1 when the committed code differs
  pnpm codegen --if-stale   write only the families whose specs changed since they were generated
`

const options = {
  check: { type: 'boolean', default: false },
  'if-stale': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

async function run(): Promise<number> {
  const { values } = parseArgs({ options })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  let stale = 0
  for (const family of readFamilies()) {
    if (values['if-stale'] && (await isCurrent(family))) continue
    const started = performance.now()
    // The generators take a second to load. A start with unchanged specs does not need them.
    const { generateFamily } = await import('./generate.ts')
    const generated = await generateFamily(family)
    const differing = await differences(family, generated)
    if (!values.check) await write(family, generated)
    const state = differing.length === 0 ? 'fresh' : values.check ? 'stale' : 'written'
    process.stdout.write(`${family.name}: ${state} (${Math.round(performance.now() - started)} ms)\n`)
    if (state === 'stale') {
      stale += 1
      for (const file of differing) process.stdout.write(`  ${file}\n`)
    }
  }
  if (stale > 0)
    process.stderr.write('Generated code differs from the specs. Run `pnpm codegen` and commit the result.\n')
  return stale > 0 ? 1 : 0
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
