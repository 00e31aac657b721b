import { parseArgs } from 'node:util'
import { callers, compilers, type Consumer, type ConsumerInputs } from './consumers.ts'
import { createProject, type Project, publishedFolders, writeCalls } from './project.ts'
import { failuresOf, matrixTable, type Row } from './results.ts'
import { runHelp, type RunningGateway, startGateway } from './gateway.ts'

const usage = `Installs the packed packages and uses them in every way that is supported.

  npm run consumers [-- --only runtimes | typescript]

Prints a table of consumers and packages; ends with 1 when a cell of it failed.
`

const options = { only: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } } as const
type Selection = 'runtimes' | 'typescript'

// On these machines everything can be installed, so a missing consumer is an error.
const isComplete = Boolean(process.env['CI']) && process.platform === 'linux' && process.arch === 'x64'

async function runConsumers(consumers: readonly Consumer[], inputs: ConsumerInputs): Promise<readonly Row[]> {
  const rows: Row[] = []
  // Sequentially, because the consumers share the machine with the gateway.
  for (const { name, check, isInstalled, run: runConsumer } of consumers) {
    const started = performance.now()
    rows.push({ consumer: name, check, results: isInstalled ? await runConsumer(inputs) : undefined })
    print(`${name}: ${Math.round((performance.now() - started) / 100) / 10} s`)
  }
  return rows
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function matrix(only: Selection | undefined): Promise<readonly Row[]> {
  const project = await createProject()
  try {
    const typed = only === 'runtimes' ? [] : compilers
    const rows = [...(await runConsumers(typed, { project, calls: '', gateway: '' }))]
    if (only === 'typescript') return rows
    rows.push({ consumer: 'npx fairlead', check: 'help', results: await runHelp(project) })
    rows.push(...(await useGateway(project)))
    return rows
  } finally {
    await project.remove()
  }
}

/** Starts the gateway and runs all callers. A gateway that does not start is a failure, too. */
async function useGateway(project: Project): Promise<readonly Row[]> {
  const row = { consumer: 'fairlead dev', check: 'starts' }
  let gateway: RunningGateway
  try {
    gateway = await startGateway(project)
  } catch (error) {
    return [{ ...row, results: { gateway: (error as Error).message } }]
  }
  try {
    const calls = await writeCalls(project, gateway.file)
    const called = await runConsumers(callers, { project, calls, gateway: gateway.file.base_url })
    return [{ ...row, results: gateway.results }, ...called]
  } finally {
    await gateway.stop()
  }
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) {
    print(usage)
    return
  }
  const { only } = values
  if (only !== undefined && only !== 'runtimes' && only !== 'typescript')
    throw new Error('--only must be runtimes or typescript')
  const rows = await matrix(only)
  print(`\n${matrixTable(rows, publishedFolders)}`)
  const failures = failuresOf(rows, isComplete)
  if (failures.length > 0) throw new Error(`\n${failures.join('\n')}`)
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
