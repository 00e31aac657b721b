// Reads what the test runners of all packages reported. Runs on any Node that the workspace can be installed with.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const grouped = ['packages', 'tools', 'tests']
const single = ['docs', 'benchmarks']

/**
 * Reads the reports of each package that has some.
 *
 * @returns for each test file its path in the repository, the error that kept it from running, and its tests
 */
export function readTestFiles() {
  const folders = grouped.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return [...folders, ...single].flatMap((folder) =>
    reportsIn(join(folder, '.results')).flatMap((report) =>
      JSON.parse(readFileSync(report, 'utf8')).testResults.map((suite) => ({
        path: `${folder}${suite.name.split(folder).at(-1)}`,
        error: suite.status === 'failed' ? suite.message : '',
        tests: suite.assertionResults,
      })),
    ),
  )
}

function reportsIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
}
