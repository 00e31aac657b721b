import { specification } from '@fairlead/contract-tests/specifications'
import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { deviationOf, type Failure } from './deviations.ts'
import { installSchemathesis } from './python.ts'

/** Options of a schemathesis run. */
export interface Attack {
  /** Name of the document in `specs/families.json`. */
  readonly document: string
  readonly url: string
  readonly seed: number
  /** Test cases per operation in each phase, in addition to those that the document determines. */
  readonly examples: number
  readonly environment?: Readonly<Record<string, string>>
}

/** The results of a run. */
export interface Attacked {
  readonly operations: number
  readonly cases: number
  /** Cases with a failed check, as schemathesis counts them. */
  readonly failedCases: number
  /** Failed checks that are listed as deviations. */
  readonly deviations: number
  /** Failed checks that are not listed, one of each kind. */
  readonly failures: readonly Failure[]
  /** Errors of schemathesis itself. */
  readonly errors: readonly unknown[]
}

interface Report {
  readonly complete: boolean
  readonly operations: { readonly tested: number }
  readonly test_cases: { readonly generated: number; readonly with_failures: number }
  readonly errors: readonly unknown[]
}

/** One line of the event report, limited to the fields that the tests read. */
interface Event {
  readonly ScenarioFinished?: { readonly recorder: Recorder }
}

// All fields are missing for a skipped scenario.
interface Recorder {
  readonly cases?: Readonly<
    Record<string, { readonly value: { readonly method: string; readonly path: string } }>
  >
  readonly checks?: Readonly<Record<string, readonly Check[]>>
  readonly interactions?: Readonly<Record<string, Interaction>>
}

interface Check {
  readonly name: string
  readonly failure_info?: { readonly failure: { readonly title: string; readonly message: string } }
}

interface Interaction {
  readonly request: { readonly method: string; readonly uri: string; readonly body: Bytes | null }
  readonly response: { readonly status_code: number; readonly content: Bytes | null }
}

interface Bytes {
  readonly $base64: string
}

/**
 * Runs schemathesis with a document against a gateway.
 *
 * @throws Error with its output when it has written no report, or ended before all operations were tested
 */
export async function attack({ document, url, seed, examples, environment }: Attack): Promise<Attacked> {
  const program = await installSchemathesis()
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-schemathesis-'))
  try {
    const pathOf = (name: string) => join(folder, name)
    await writeFile(pathOf('schema.json'), JSON.stringify(specification(document)))
    const output = await run(
      program,
      [
        `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`,
        'run',
        pathOf('schema.json'),
        `--url=${url}`,
        `--seed=${seed}`,
        `--max-examples=${examples}`,
        '--checks=all',
        '--workers=1',
        '--report=json,ndjson',
        `--report-json-path=${pathOf('report.json')}`,
        `--report-ndjson-path=${pathOf('events.ndjson')}`,
      ],
      {
        PATH: process.env['PATH'],
        HOME: folder,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
        PYTHONDONTWRITEBYTECODE: '1',
        ...environment,
      },
      folder,
    )
    const text = await readFile(pathOf('report.json'), 'utf8').catch(() => '{}')
    const report = JSON.parse(text) as Partial<Report>
    if (report.complete !== true) throw new Error(`schemathesis did not finish:\n${output}`)
    return { ...(await examined(document, pathOf('events.ndjson'))), ...countsOf(report as Report) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function countsOf({ operations, test_cases: cases, errors }: Report) {
  return {
    operations: operations.tested,
    cases: cases.generated,
    failedCases: cases.with_failures,
    errors,
  }
}

async function examined(document: string, events: string) {
  const failures = new Map<string, Failure>()
  let deviations = 0
  for await (const line of createInterface({ input: createReadStream(events) })) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as Event
    for (const failure of scenario ? failuresIn(scenario.recorder) : []) {
      if (deviationOf(document, failure)) deviations += 1
      else failures.set(`${failure.operation} ${failure.check} ${failure.status}`, failure)
    }
  }
  return { deviations, failures: [...failures.values()] }
}

function failuresIn({ cases = {}, checks = {}, interactions = {} }: Recorder): readonly Failure[] {
  return Object.entries(checks).flatMap(([id, list]) =>
    list.flatMap(({ name, failure_info: info }) => {
      const [testCase, exchange] = [cases[id]?.value, interactions[id]]
      if (!info || !testCase || !exchange) return []
      const { request, response } = exchange
      return [
        {
          operation: `${testCase.method} ${testCase.path}`,
          check: name,
          problem: `${info.failure.title}: ${info.failure.message}`.slice(0, longest),
          status: response.status_code,
          request: `${request.method} ${request.uri}`.slice(0, longest),
          sent: textOf(request.body),
          body: textOf(response.content),
        },
      ]
    }),
  )
}

const longest = 500

function textOf(bytes: Bytes | null): string {
  return Buffer.from(bytes?.$base64 ?? '', 'base64')
    .toString()
    .slice(0, longest)
}

// Ignores the exit code, which only says that checks failed. The report has the details.
function run(program: string, args: string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { env, cwd, maxBuffer: 2 ** 28 }, (_, stdout, stderr) => resolve(stdout + stderr))
  })
}
