import { parseArgs } from 'node:util'
import { callers, compilers, type Consumer, type Surroundings } from './consumers.ts'
import { createProject, publishedFolders, writeCalls } from './project.ts'
import { failuresOf, matrixTable, type Row } from './results.ts'
import { askForHelp, startService } from './service.ts'

const usage = `Installs the packed packages and uses them in every way that is supported.

  npm run consumers [-- --only runtimes | typescript]

Prints a table of consumers and packages; ends with 1 when a cell of it failed.
`

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
})

async function use(consumers: readonly Consumer[], surroundings: Surroundings): Promise<readonly Row[]> {
  const rows: Row[] = []
  // One after the other: they share the machine with the service.
  for (const { name, check, isThere, use: useIt } of consumers) {
    const started = performance.now()
    rows.push({ consumer: name, check, results: isThere ? await useIt(surroundings) : undefined })
    say(`${name}: ${Math.round((performance.now() - started) / 100) / 10} s`)
  }
  return rows
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function matrix(): Promise<readonly Row[]> {
  const project = await createProject()
  try {
    const typed = values.only === 'runtimes' ? [] : compilers
    const rows = [...(await use(typed, { project, calls: '', service: '' }))]
    if (values.only === 'typescript') return rows
    rows.push({ consumer: 'npx fairlead', check: 'help', results: await askForHelp(project) })
    const service = await startService(project)
    try {
      rows.push({ consumer: 'fairlead dev', check: 'starts', results: service.results })
      const calls = await writeCalls(project, service.file)
      rows.push(...(await use(callers, { project, calls, service: service.file.base_url })))
    } finally {
      await service.stop()
    }
    return rows
  } finally {
    await project.remove()
  }
}

if (values.help) say(usage)
else if (values.only !== undefined && !['runtimes', 'typescript'].includes(values.only)) {
  process.stderr.write('--only must be runtimes or typescript\n')
  process.exitCode = 1
} else {
  const rows = await matrix()
  say(`\n${matrixTable(rows, publishedFolders)}`)
  const failures = failuresOf(rows)
  if (failures.length > 0) {
    process.stderr.write(`\n${failures.join('\n')}\n`)
    process.exitCode = 1
  }
}
