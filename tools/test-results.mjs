// Reads the reports of the test runners of all packages. Runs on every Node.js version with which the workspace can be
// installed.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const grouped = ['packages', 'tools', 'tests']
const single = ['docs', 'benchmarks']

/**
 * Reads the reports of all packages that have some.
 *
 * @param since - ignores older reports, in milliseconds since 1970
 * @returns for each test file its path in the repository, the error that prevented it from running, and its tests
 */
export function readTestFiles(since = 0) {
  const folders = grouped.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return [...folders, ...single].flatMap((folder) =>
    reportsIn(join(folder, '.results'), since).flatMap((report) =>
      JSON.parse(readFileSync(report, 'utf8')).testResults.map((suite) => ({
        path: `${folder}${suite.name.split(folder).at(-1)}`,
        error: suite.status === 'failed' ? suite.message : '',
        tests: suite.assertionResults,
      })),
    ),
  )
}

function reportsIn(folder, since) {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^vitest.*\.json$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).mtimeMs >= since)
}
